import EventLog
import Foundation
import GatewayService
import HTTP
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TokenTests {
  @Test func `a token is shown once, stored as its hash, listed by name and removed`() throws {
    let folder = try TemporaryDirectory()
    let tokens = Tokens(data: folder.path)
    #expect(try tokens.list().isEmpty)
    let secret = try tokens.add("phone")
    _ = try tokens.add("laptop")
    #expect(try tokens.list().map(\.name) == ["laptop", "phone"])
    #expect(throws: StartupError.self) { try tokens.add("phone") }
    for name in ["", "a b", "ł", String(repeating: "a", count: 65)] {
      #expect(throws: StartupError.self) { try tokens.add(name) }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("gateway"))
    #expect(files.sorted() == ["gateway.lock", "gateway.sqlite"])
    for file in files {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("gateway/\(file)")))
      #expect(bytes.range(of: Data(secret.utf8.dropFirst(8))) == nil)
    }
    #expect(try tokens.remove("phone"))
    #expect(try !tokens.remove("phone"))
    #expect(try tokens.list().map(\.name) == ["laptop"])
  }

  @Test func `as soon as there is a token every request needs one, while the gateway runs`() async throws {
    let world = try await GatewayWorld.start()
    #expect(await world.get("/v1/items").status == 200)
    let tokens = Tokens(data: world.folder.path)
    let secret = try tokens.add("phone")
    for headers in [
      [:], ["authorization": "Bearer wrong"], ["authorization": secret], ["authorization": "Basic \(secret)"],
      ["authorization": "Bearer \(secret)x"],
    ] {
      for path in ["/v1/items", "/v1/history", "/v1/status", "/metrics"] {
        let response = await world.get(path, headers: headers)
        #expect(response.status == 401, "\(path) \(headers)")
        #expect(response.header("www-authenticate") == "Bearer")
      }
      #expect(await world.post(#"{"type":"tasks.x.y.v1","data":{}}"#, headers: headers).status == 401)
    }
    // With the token also under a name of one's own, as behind a proxy.
    let headers = ["authorization": "Bearer \(secret)", "host": "daybook.example"]
    for path in ["/v1/items", "/v1/status", "/metrics"] {
      #expect(await world.get(path, headers: headers).status == 200)
    }
    for path in ["/healthz", "/readyz"] { #expect(await world.get(path).status == 200) }
    #expect(try tokens.remove("phone"))
    #expect(await world.get("/v1/items").status == 200)
    try await world.stop()
  }

  @Test func `with a token the actor is its name, and an actor in the body is refused`() async throws {
    let world = try await GatewayWorld.start()
    let headers = ["authorization": "bearer \(try Tokens(data: world.folder.path).add("phone"))"]
    let owner = try await FakeOwner(world.log)
    let refused = await world.post(#"{"type":"tasks.x.y.v1","data":{},"actor":"ada"}"#, headers: headers)
    #expect(refused.status == 422)
    #expect(refused.json["errors"]?.array?.first?["field"] == "actor")
    async let response = world.post(#"{"type":"tasks.x.y.v1","data":{}}"#, headers: headers)
    let command = try await owner.command()
    #expect(command.actor == "phone")
    try await owner.decide(command)
    #expect(await response.status == 200)
    try await world.stop()
  }

  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "daybook.example"])
  func `an address that other machines reach needs a token to start, and keeps needing one`(_ host: String)
    async throws
  {
    let folder = try TemporaryDirectory()
    var options = GatewayService.Options()
    options.host = host
    await #expect {
      _ = try await GatewayWorld.start(options: options, folder: folder)
    } throws: {
      "\($0)".contains("daybook token add")
    }
    let tokens = Tokens(data: folder.path)
    let secret = try tokens.add("phone")
    let world = try await GatewayWorld.start(options: options, folder: folder)
    #expect(await world.get("/v1/items", headers: ["host": "a"]).status == 401)
    #expect(await world.get("/v1/items", headers: ["authorization": "Bearer \(secret)"]).status == 200)
    #expect(try tokens.remove("phone"))
    #expect(await world.get("/v1/items", headers: ["authorization": "Bearer \(secret)"]).status == 401)
    #expect(await world.get("/v1/items").status == 401)
    try await world.stop()
  }

  @Test(arguments: [(0, "no database here"), (60, "\u{10}"), (4096, String(repeating: "x", count: 4096))])
  func `a token file that is damaged or newer keeps every gateway from starting, and is left as it is`(
    at place: Int, _ text: String
  ) async throws {
    let folder = try TemporaryDirectory()
    _ = try Tokens(data: folder.path).add("phone")
    let path = folder.file("gateway/gateway.sqlite")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange(place..<place + text.utf8.count, with: Data(text.utf8))
    try bytes.write(to: URL(fileURLWithPath: path))
    var sentences: [String] = []
    await #expect {
      _ = try await GatewayWorld.start(folder: folder)
    } throws: {
      sentences.append("\($0)")
      return true
    }
    #expect(throws: (any Error).self) { try Tokens(data: folder.path).add("laptop") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    let says = place == 60 ? "was written by a newer Daybook" : "or remove it and make new tokens"
    #expect(sentences.count == 1 && sentences[0].contains(path) && sentences[0].contains(says), "\(sentences)")
    #expect(!sentences[0].contains("rebuild"))
  }

  @Test func `the tokens are for their owner alone, also where the file was made otherwise`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("gateway/gateway.sqlite")
    for _ in 0..<2 {
      _ = try Tokens(data: folder.path).add("\(Int.random(in: 0..<1_000_000_000))")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      chmod(path, 0o644)
    }
  }

  @Test func `a token file from a newer Daybook is refused and left as it is`() async throws {
    let folder = try TemporaryDirectory()
    _ = try Tokens(data: folder.path).add("phone")
    let path = folder.file("gateway/gateway.sqlite")
    let db = try Connection(path, .writing)
    try db.execute("PRAGMA user_version = 99")
    db.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(throws: (any Error).self) { try Tokens(data: folder.path).add("laptop") }
    var options = GatewayService.Options()
    options.host = "0.0.0.0"
    await #expect(throws: (any Error).self) { _ = try await GatewayWorld.start(options: options, folder: folder) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }
}
