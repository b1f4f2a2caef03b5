import Contracts
import Messaging

extension Commands {
  static let send = CommandNode(
    name: "send", summary: "Sends any command, as it is",
    discussion: """
      The type is that of the contract (tasks.item.add.v1; the version may be left out). key=text sets a member to a
      text, key:=json to any JSON value. With --ndjson every line of a file is one command: its data where TYPE is
      given, else a document {"type","data","id"?,"workspace"?}. Many are sent at once, so their order is not kept
      unless --in-flight is 1. Send a file again with ids in it, and nothing is done twice.
      """,
    examples: [
      "daybook send tasks.item.add title=\"Buy milk\" tags:='[\"urgent\"]'",
      "daybook send tasks.tag.create.v1 --data '{\"name\":\"urgent\"}'",
      "daybook send --ndjson commands.ndjson --in-flight 64",
    ],
    section: everything,
    arguments: [
      Argument(name: "TYPE", count: .optional, help: "the command's type; may be left out with --ndjson"),
      Argument(
        name: "key=text", count: .any, help: "members of the data; a single - reads the data from standard input"),
    ],
    options: [
      .value("data", "JSON", "the whole data"),
      .value("ndjson", "FILE", "one command a line; - reads standard input"),
      .value("in-flight", "N", "how many are sent at once with --ndjson (default 64)"),
      .flag("answers", "with --ndjson: print every answer, one a line, in the order of the file"),
      .value("command-id", "UUID", "the id of the command, to send one again"),
    ],
    run: { invocation in
      let context = try Context(invocation)
      // The flag of that name, before the command, says how the answer is printed.
      if !invocation.isFlagged("ndjson"), let file = invocation.value("ndjson") {
        guard invocation.arguments.count <= 1, !invocation.has("data"), !invocation.has("command-id") else {
          throw Failure.usage("--ndjson takes TYPE at most beside it")
        }
        try await sendFile(file, type: invocation.arguments.first.map(fullType), context)
        return
      }
      guard let type = invocation.arguments.first else { throw Failure.usage("daybook send needs TYPE") }
      try await sendOne(fullType(type), try data(context), context)
    })

  /// The type with its version, where only one command can be meant.
  private static func fullType(_ type: String) -> String {
    CommandCatalogue.command(type) == nil && CommandCatalogue.command(type + ".v1") != nil ? type + ".v1" : type
  }

  private static func data(_ context: Context) throws -> JSON {
    let invocation = context.invocation
    let members = Array(invocation.arguments.dropFirst())
    if let text = invocation.value("data") {
      guard members.isEmpty else { throw Failure.usage("--data and key=text exclude one another") }
      return try parsed(text, "--data")
    }
    if members.count == 1, invocation.isInput(1) {
      var lines: [String] = []
      while let line = try context.console.readLine() { lines.append(line) }
      return try parsed(lines.joined(separator: "\n"), "standard input")
    }
    var data = JSONObject()
    for member in members {
      guard let sign = member.firstIndex(of: "="), sign != member.startIndex else {
        throw Failure.usage("\"\(member)\" is neither key=text nor key:=json")
      }
      var key = String(member[..<sign])
      let text = String(member[member.index(after: sign)...])
      let isJSON = key.hasSuffix(":")
      if isJSON { key.removeLast() }
      guard data[key] == nil else { throw Failure.usage("\(key) stands more than once") }
      data[key] = isJSON ? try parsed(text, key) : .string(text)
    }
    return .object(data)
  }

  private static func parsed(_ text: String, _ source: String) throws -> JSON {
    do throws(JSONError) {
      return try JSON(parsing: text)
    } catch {
      throw Failure.usage("\(source) is not JSON: \(error)")
    }
  }

  private static func sendOne(_ type: String, _ data: JSON, _ context: Context) async throws {
    guard let object = data.object else { throw Failure.usage("the data of a command is a JSON object") }
    let sender = Sender(context, type: type, past: "Accepted", kind: "")
    try await sender.send([Write(label: type, data: object)])
  }

  private static func sendFile(_ file: String, type: String?, _ context: Context) async throws {
    let count = try context.invocation.integer("in-flight", in: 1...1000) ?? 64
    let lines = try LineReader(file, context.console)
    try await BulkSender(context, type: type, inFlight: count).send(lines)
  }
}
