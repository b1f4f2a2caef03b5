import Messaging

extension Commands {
  static let command = CommandNode(
    name: "command", summary: "Tells what became of a command",
    discussion: """
      With --wait it waits until the command is decided, however long that takes; with --wait SECONDS that long at most.
      """,
    examples: ["daybook command 0190c2a4-0000-7000-8000-000000000001 --wait"], section: everything,
    arguments: [Argument(name: "ID", help: "the id that the command was sent with")],
    options: [
      Option(name: "wait", value: "SECONDS", isValueOptional: true, help: "wait until it is decided, at most that long")
    ],
    run: { invocation in
      let context = try Context(invocation)
      guard let id = MessageID(invocation.arguments[0]) else {
        throw Failure.usage("\"\(invocation.arguments[0])\" is no command's id, which is a UUID")
      }
      let answer = try await Progress.during(context.console, "waiting for the decision") {
        try await invocation.has("wait") ? waitedInTime(id, context) : context.api.find("/v1/commands/\(id)")
      }
      guard let answer else {
        throw Failure.refused("nothing is known of command \(id) in workspace \(context.api.workspace)")
      }
      try show(answer, id, context)
    })

  private static func show(_ answer: JSON, _ id: MessageID, _ context: Context) throws {
    let isAccepted = answer["status"] == "accepted"
    context.show(answer) {
      let style = context.console.outputStyle
      let verdict = isAccepted ? style.green("accepted") : style.red("refused")
      var text = "\(answer["type"]?.string ?? "") \(verdict)"
      if let entity = answer["id"]?.string { text += "  \(Values.ending(entity))" }
      if let receipt = answer["receipt"]?.string { text += "  \(receipt)" }
      if let detail = answer["detail"]?.string { text += "\n\(detail)" }
      return text + "\n"
    }
    if !isAccepted { throw Failure(status: .refused, message: "") }
  }

  /// Waits as long as was asked; without a number of seconds for ever.
  private static func waitedInTime(_ id: MessageID, _ context: Context) async throws -> JSON? {
    guard context.patience.isAsked else { return try await waited(id, context) }
    let seconds = context.patience.seconds
    return try await withThrowingTaskGroup(of: JSON?.self) { group in
      group.addTask { try await waited(id, context) }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        let asked = context.invocation.value("wait") ?? ""
        throw Failure.unreachable(
          "no decision on command \(id) came within \(asked) s; \"daybook status\" tells what is behind")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Listens for decisions before it asks, so none can pass between.
  private static func waited(_ id: MessageID, _ context: Context) async throws -> JSON? {
    let now = (name: "from", value: Timestamp(milliseconds: context.clock.now.milliseconds - 1000).description)
    let lines = try await context.api.lines(
      "/v1/events", [now, ("type", Message.Kind.decided), ("follow", "true")])
    if let known = try await context.api.find("/v1/commands/\(id)") { return known }
    for try await bytes in lines {
      let line = EventLine(json: API.json(bytes))
      if line.data["command"]?.string == id.description { return line.answer }
    }
    return nil
  }
}
