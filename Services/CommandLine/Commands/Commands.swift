import Messaging

/// The commands that belong to no noun.
enum Commands {
  static let everything = "Everything"
  static let running = "Running it"

  static let nodes: [CommandNode] = [
    search, send, command, events, replay, history, up, serve, status, token, rebuild, topics, log, bench, completion,
    version,
  ]

  static let completion = CommandNode(
    name: "completion", summary: "Prints the completion script of a shell",
    examples: [
      "source <(daybook completion bash)", "daybook completion fish | source",
    ],
    section: running,
    arguments: [Argument(name: "SHELL", choices: Completion.shells, help: "bash, zsh or fish")],
    run: { invocation in
      let shell = invocation.arguments[0]
      guard Completion.shells.contains(shell) else {
        throw Failure.usage("there is no completion for \"\(shell)\"; there is for bash, zsh and fish")
      }
      invocation.console.write(Completion(root: Root.node, globals: Root.globals).script(shell))
    })

  /// The version of this build.
  static let versionText = "daybook 0.1.0"

  static let version = CommandNode(
    name: "version", summary: "Prints the version", section: running,
    run: { invocation in
      let mode = try Context.mode(invocation)
      let number = String(versionText.dropFirst(8))
      switch mode {
      case .people: invocation.console.print(versionText)
      case .quiet: invocation.console.print(number)
      case .json, .ndjson: invocation.console.print(JSON.object(["version": .string(number)]).text)
      }
    })
}
