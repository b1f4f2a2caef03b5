import GatewayService
import HTTP
import Messaging
import ServiceKit
import TestSupport
import Testing

private let id = "0197f0c0-0000-7000-8000-000000000001"
private let other = "0197f0c0-0000-7000-8000-000000000002"

/// A request that the gateway refuses itself: nothing of it may reach the log.
struct Refused: Sendable, CustomTestStringConvertible {
  let name: String
  let status: Int
  let code: String
  /// What the sentence must hold.
  let says: String
  let body: String
  var headers: [String: String] = [:]
  var query: [(name: String, value: String)] = []
  var testDescription: String { name }
}

private let good = #"{"type":"tasks.x.y.v1","data":{}}"#

private let refusals: [Refused] = [
  Refused(name: "no JSON", status: 400, code: "malformed", says: "JSON", body: "type=x"),
  Refused(name: "nothing", status: 400, code: "malformed", says: "empty", body: ""),
  Refused(name: "a list", status: 400, code: "malformed", says: "object", body: "[]"),
  Refused(
    name: "a key twice", status: 400, code: "malformed", says: "\"data\" stands twice",
    body: #"{"type":"tasks.x.y.v1","data":{},"data":{}}"#),
  Refused(
    name: "a key twice inside the data", status: 400, code: "malformed", says: "stands twice",
    body: #"{"type":"tasks.x.y.v1","data":{"a":1,"a":2}}"#),
  Refused(
    name: "a trailing comma", status: 400, code: "malformed", says: "key is expected",
    body: #"{"type":"tasks.x.y.v1","data":{},}"#),
  Refused(
    name: "\\u0000", status: 400, code: "malformed", says: "u0000",
    body: #"{"type":"tasks.x.y.v1","data":{"a":"\u0000"}}"#),
  Refused(
    name: "depth 100", status: 400, code: "malformed", says: "levels deep",
    body: #"{"type":"tasks.x.y.v1","data":"# + String(repeating: "[", count: 100)),
  Refused(name: "no type", status: 422, code: "invalid", says: "type: is required", body: #"{"data":{}}"#),
  Refused(name: "no data", status: 422, code: "invalid", says: "data: is required", body: #"{"type":"tasks.x.y.v1"}"#),
  Refused(
    name: "an unknown member", status: 422, code: "invalid", says: "datum: is not a field",
    body: #"{"type":"tasks.x.y.v1","data":{},"datum":1}"#),
  Refused(
    name: "an unknown service, with the nearest named", status: 422, code: "invalid", says: "did you mean tasks?",
    body: #"{"type":"task.tag.create.v1","data":{}}"#),
  Refused(
    name: "the kit's own types", status: 422, code: "invalid", says: "names no service",
    body: #"{"type":"daybook.command.decided.v1","data":{}}"#),
  Refused(
    name: "a type with white space", status: 422, code: "invalid", says: "type: must be a command's name",
    body: #"{"type":"tasks.x y","data":{}}"#),
  Refused(
    name: "a type that is no text", status: 422, code: "invalid", says: "type: must be", body: #"{"type":1,"data":{}}"#),
  Refused(
    name: "a workspace in capitals", status: 422, code: "invalid", says: "workspace: must be",
    body: #"{"type":"tasks.x.y.v1","data":{},"workspace":"Home"}"#),
  Refused(
    name: "an id that is no UUID", status: 422, code: "invalid", says: "id: must be a UUID",
    body: #"{"type":"tasks.x.y.v1","data":{},"id":"7"}"#),
  Refused(
    name: "an actor with a control character", status: 422, code: "invalid", says: "actor: must not hold control",
    body: #"{"type":"tasks.x.y.v1","data":{},"actor":"a\u0001"}"#),
  Refused(
    name: "a key that differs from the id", status: 400, code: "malformed", says: "two different commands",
    body: #"{"type":"tasks.x.y.v1","data":{},"id":"\#(id)"}"#, headers: ["idempotency-key": other]),
  Refused(
    name: "a key that is no UUID", status: 400, code: "malformed", says: "must be a UUID", body: good,
    headers: ["idempotency-key": "7"]),
  Refused(
    name: "too much data", status: 413, code: "too-large", says: "at most 262144",
    body: #"{"type":"tasks.x.y.v1","data":{"note":""# + String(repeating: "a", count: 300_000) + #""}}"#),
  Refused(
    name: "another content type", status: 415, code: "media-type", says: "application/json", body: good,
    headers: ["content-type": "text/plain"]),
  Refused(
    name: "a page of another site", status: 403, code: "cross-site", says: "another site", body: good,
    headers: ["origin": "http://evil.example"]),
  Refused(
    name: "a rebound name", status: 421, code: "misdirected", says: "evil.example", body: good,
    headers: ["host": "evil.example"]),
  Refused(
    name: "a wait that is no number", status: 422, code: "invalid", says: "wait: must be", body: good,
    query: [("wait", "x")]),
  Refused(
    name: "an unknown parameter", status: 422, code: "invalid", says: "workspace: is not a parameter", body: good,
    query: [("workspace", "home")]),
]

@Suite(.timeLimit(.minutes(1))) struct CommandRefusalTests {
  @Test(arguments: refusals)
  func `what is no command is refused with its reason, and nothing is written`(_ one: Refused) async throws {
    let world = try await GatewayWorld.start()
    let response = await world.post(one.body, headers: one.headers, query: one.query)
    #expect(response.status == one.status)
    #expect(response.code == one.code)
    #expect(response.json["detail"]?.string?.contains(one.says) == true, "\(response.json.text)")
    #expect(response.json["receipt"] == nil)
    for service in ServiceContext.owners {
      for partition in 0..<GatewayWorld.partitionCount {
        let bounds = try await world.log.bounds(of: .init("daybook.\(service).commands", partition))
        #expect(bounds.isEmpty)
      }
    }
    try await world.stop()
  }

  @Test func `data of the largest size is taken, and what is no object is left to the owner`() async throws {
    let world = try await GatewayWorld.start()
    let filler = String(repeating: "a", count: Command.largestData - 11)
    for data in [#"{"note":"\#(filler)"}"#, "[]", "null", "7"] {
      #expect(await world.post(#"{"type":"tasks.x.y.v1","data":\#(data)}"#, query: [("wait", "0")]).status == 202)
    }
    try await world.stop()
  }

  @Test func `a read-only gateway refuses commands and answers reads`() async throws {
    var options = GatewayService.Options()
    options.isReadOnly = true
    let world = try await GatewayWorld.start(options: options)
    let response = await world.post(good)
    #expect(response.status == 403)
    #expect(response.code == "read-only")
    #expect(await world.get("/v1/items").status == 200)
    try await world.stop()
  }
}
