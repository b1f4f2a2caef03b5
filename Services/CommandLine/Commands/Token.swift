import GatewayService
import Messaging

extension Commands {
  static let token = CommandNode(
    name: "token", summary: "Manages who may reach it with a token",
    discussion: """
      Tokens are of a data directory. With one, every request needs a token, and what it does is in the history under
      its name. A client sends the token that DAYBOOK_TOKEN holds.
      """,
    section: running, children: [addToken, listTokens, removeToken])

  private static let addToken = CommandNode(
    name: "add", synonyms: ["create", "new"], summary: "Makes a token and prints it, once",
    examples: ["daybook token add ada --data ./book"],
    arguments: [Argument(name: "NAME", help: "who uses it, as the history will name them")],
    options: [DataFolder.option],
    run: { invocation in
      let mode = try Context.mode(invocation)
      let name = invocation.arguments[0]
      let secret = try Tokens(data: DataFolder(invocation).path).add(name)
      switch mode {
      case .people, .quiet: invocation.console.print(secret)
      case .json, .ndjson:
        invocation.console.print(JSON.object(["name": .string(name), "token": .string(secret)]).text)
      }
      if mode == .people { invocation.console.say("This is shown only once. Use it as DAYBOOK_TOKEN.") }
    })

  private static let listTokens = CommandNode(
    name: "list", synonyms: ["ls"], summary: "Lists who has a token", options: [DataFolder.option],
    run: { invocation in
      let mode = try Context.mode(invocation)
      let console = invocation.console
      let clock = try Clock(zone: invocation.value("zone"), now: console.now())
      let tokens = try Tokens(data: DataFolder(invocation).path).list()
      let documents = tokens.map { entry -> JSON in
        ["name": .string(entry.name), "createdAt": JSON(entry.created)]
      }
      switch mode {
      case .json: console.print(JSON.object(["items": .array(documents), "count": JSON(tokens.count)]).text)
      case .ndjson: for document in documents { console.print(document.text) }
      case .quiet: for entry in tokens { console.print(entry.name) }
      case .people:
        guard !tokens.isEmpty else { return console.say("No tokens.") }
        let rows = tokens.map { [Table.Cell($0.name), Table.Cell(clock.show($0.created))] }
        let table = Table(columns: [.init(title: "NAME"), .init(title: "CREATED")], rows: rows)
        console.write(table.render(width: nil, style: console.outputStyle))
      }
    })

  private static let removeToken = CommandNode(
    name: "remove", synonyms: ["delete", "rm"], summary: "Takes a token back",
    examples: ["daybook token remove ada --data ./book"],
    arguments: [Argument(name: "NAME", count: .several, help: "whose token")],
    options: [DataFolder.option],
    run: { invocation in
      _ = try Context.mode(invocation)
      let tokens = Tokens(data: try DataFolder(invocation).path)
      for name in invocation.arguments {
        guard try tokens.remove(name) else { throw Failure.refused("there is no token \"\(name)\"") }
        invocation.console.print("Removed token \(name)")
      }
    })
}
