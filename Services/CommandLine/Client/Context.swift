import Foundation
import HTTP
import Messaging

/// What a command works with: what was asked, the server, the zone, and how to print.
struct Context: Sendable {
  /// How results are printed.
  enum Mode: Sendable { case people, json, ndjson, quiet }

  let invocation: Invocation
  let console: Console
  let api: API
  /// Where the log is read and commands are written, where a Kafka is named.
  let kafka: ClientLog?
  let clock: Clock
  let mode: Mode
  let patience: API.Patience

  /// Throws `Failure` with status `usage` for a setting that cannot be.
  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    console = invocation.console
    mode = try Context.mode(invocation)
    clock = try Clock(zone: invocation.value("zone"), now: console.now())
    var api = try API(invocation)
    if !invocation.isFlagged("wait"), let seconds = try invocation.seconds("wait") {
      patience = API.Patience(seconds: seconds, isAsked: true)
      api.timeout = max(0.1, seconds)
    } else {
      patience = API.Patience()
    }
    kafka = try ClientLog(invocation, seconds: patience.seconds)
    if let kafka {
      let nobody: Handler = { _ in .problem(Problem.notFound("server", "")) }
      let positions = api.isServerNamed ? api.positions : nobody
      api.direct = DirectGateway(
        wait: .milliseconds(Int(patience.seconds * 1000)), audit: positions, open: { try await kafka.open() })
    }
    self.api = api
  }

  /// Lets go of what writes have opened.
  func close() async {
    await api.direct?.close()
    await kafka?.close()
  }

  static func mode(_ invocation: Invocation) throws -> Mode {
    let asked: [Mode] = [
      invocation.isFlagged("json") ? .json : nil, invocation.isFlagged("ndjson") ? .ndjson : nil,
      invocation.isFlagged("quiet") ? .quiet : nil,
    ].compactMap(\.self)
    guard asked.count <= 1 else { throw Failure.usage("--json, --ndjson and -q exclude one another") }
    return asked.first ?? .people
  }

  /// The arguments, with `-` replaced by the lines of standard input.
  func words() throws -> [String] {
    var words: [String] = []
    for (index, argument) in invocation.arguments.enumerated() {
      guard invocation.isInput(index) else {
        words.append(argument)
        continue
      }
      while let line = try console.readLine() {
        if !line.allSatisfy(\.isWhitespace) { words.append(line) }
      }
    }
    return words
  }

  /// Prints one document, or text for people; with `-q` its id, and nothing where it has none.
  func show(_ json: JSON, _ people: () -> String) {
    switch mode {
    case .people: console.write(people())
    case .json, .ndjson: console.print(json.text)
    case .quiet: if let id = json["id"]?.string ?? json["receipt"]?.string { console.print(id) }
    }
  }
}

extension API {
  /// The main workspace of a server, as nobody in particular.
  init(server: String) throws {
    self.init(server: server, workspace: Workspace.main, actor: nil, client: try HTTPClient(base: server))
  }

  /// The server and workspace that an invocation names.
  init(_ invocation: Invocation) throws {
    let workspace = invocation.value("workspace") ?? Workspace.main
    guard workspace == "*" || Workspace.isValid(workspace) else {
      throw Failure.usage(
        "\"\(workspace)\" is no name of a workspace: small letters, digits, \".\", \"_\" and \"-\", at most 63")
    }
    let server = invocation.value("server") ?? "http://127.0.0.1:8080"
    let token = try API.token(invocation.console.environment)
    do throws(HTTPClientError) {
      let client = try HTTPClient(base: server, token: token)
      self.init(server: server, workspace: workspace, actor: invocation.value("actor"), client: client)
      isServerNamed = invocation.has("server") || !invocation.has("kafka")
    } catch {
      throw Failure.usage("--server takes http://HOST:PORT, not \"\(server)\"")
    }
  }
  /// The token that `DAYBOOK_TOKEN` holds, else the one in the file that `DAYBOOK_TOKEN_FILE` names.
  private static func token(_ environment: [String: String]) throws -> String? {
    if let token = environment["DAYBOOK_TOKEN"], !token.isEmpty { return try checked(token, "DAYBOOK_TOKEN") }
    guard let file = environment["DAYBOOK_TOKEN_FILE"], !file.isEmpty else { return nil }
    guard let text = try? String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines),
      !text.isEmpty
    else { throw Failure.usage("DAYBOOK_TOKEN_FILE names \(file), where no token can be read") }
    return try checked(text, "DAYBOOK_TOKEN_FILE")
  }

  /// It becomes part of a line of the request.
  private static func checked(_ token: String, _ variable: String) throws -> String {
    guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw Failure.usage("\(variable) holds no token: a token is one word of letters, digits and signs")
    }
    return token
  }
}
