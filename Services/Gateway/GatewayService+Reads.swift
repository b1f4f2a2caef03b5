import HTTP
import Messaging
import ServiceKit

extension GatewayService {
  /// Passes a read on. Where the client does not say what it waits for, it waits for what this gateway last passed on
  /// in that workspace: people read what they just wrote.
  func forward(_ request: Request, to backend: Handler) async -> Response {
    var request = request
    let after = request.values("after")
    if after.isEmpty {
      let workspace = request.values("workspace").first ?? Workspace.main
      request.query += receipts.of(workspace: workspace).map { ("after", $0.description) }
    } else if after == ["none"] {
      request.query.removeAll { $0.name == "after" }
    }
    let response = await backend(request)
    if request.path.hasPrefix("/v1/commands/") { note(response, of: request) }
    return response
  }

  /// Who is told here that a command was accepted reads what it did from now on, as if it had been told at once.
  private func note(_ response: Response, of request: Request) {
    guard response.status == 200, case .bytes(let body) = response.body, let answer = try? JSON(parsing: body),
      let receipt = answer["receipt"]?.string.flatMap(Receipt.init)
    else { return }
    receipts.note(receipt, workspace: request.values("workspace").first ?? Workspace.main)
  }

  /// `GET /v1/status`: this process, what projection and audit say of themselves, and the services that have not decided
  /// commands which this gateway handed over more than a second ago.
  func status(_ request: Request) async throws(Problem) -> Response {
    try request.allow(["workspace"])
    await context.health.probe()
    async let projection = status(of: projection)
    async let audit = status(of: audit)
    let parts = await (projection, audit)
    var object = context.health.json.object ?? [:]
    object["ready"] = JSON(context.health.isReady && parts.0["ready"] == true && parts.1["ready"] == true)
    let undecided = waiters.undecided(for: .seconds(1)).sorted { $0.key < $1.key }
    if !undecided.isEmpty {
      object["ready"] = false
      object["components"] = .array((object["components"]?.array ?? []) + undecided.map(Self.undecided))
    }
    if options.isReadOnly { object["readOnly"] = true }
    object["projection"] = parts.0
    object["audit"] = parts.1
    return .json(.object(object))
  }

  /// What the gateway knows of an owner: that commands went to it, and no decision came.
  private static func undecided(_ service: String, _ count: Int) -> JSON {
    let commands = count == 1 ? "1 command waits" : "\(count) commands wait"
    return [
      "name": .string(service), "ready": false,
      "detail": .string("\(commands) to be decided: it does not run, stands still, or is far behind"),
    ]
  }

  private func status(of backend: Handler) async -> JSON {
    let response = await backend(Request(path: "/v1/status"))
    guard case .bytes(let bytes) = response.body, let json = try? JSON(parsing: bytes) else {
      return ["ready": false, "detail": "It answers no status."]
    }
    if response.status == 200 { return json }
    // A part that a read-only Daybook does without lacks nothing.
    if json["code"] == "read-only" { return ["ready": true, "detail": json["detail"] ?? .null] }
    return ["ready": false, "detail": json["detail"] ?? "It answers no status."]
  }
}
