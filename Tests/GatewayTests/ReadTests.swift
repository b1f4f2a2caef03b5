import EventLog
import GatewayService
import HTTP
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReadTests {
  @Test(arguments: [
    ("/v1/history", "audit"), ("/v1/history/verify", "audit"), ("/v1/events", "audit"),
    ("/v1/commands/0197f0c0-0000-7000-8000-000000000001", "audit"), ("/v1/items", "projection"),
    ("/v1/items/x", "projection"), ("/v1/search", "projection"), ("/v1/workspaces", "projection"),
    ("/v1/whatever/there/is", "projection"),
  ])
  func `history goes to the audit, every other read to the projection`(_ path: String, _ backend: String) async throws {
    let world = try await GatewayWorld.start()
    _ = world.asked.take()
    #expect(await world.get(path, [("q", "a b"), ("tag", "x"), ("tag", "y")]).status == 200)
    #expect(world.asked.take() == ["\(backend) \(path)?q=a b&tag=x&tag=y"])
    try await world.stop()
  }

  @Test func `a read waits for what was last passed on in its workspace, unless it says otherwise`() async throws {
    let world = try await GatewayWorld.start()
    let (tasks, library) = (try await FakeOwner(world.log), try await FakeOwner(world.log, service: "library"))
    for (owner, service) in [(tasks, "tasks"), (tasks, "tasks"), (library, "library")] {
      async let response = world.post(#"{"type":"\#(service).x.y.v1","data":{}}"#)
      try await owner.decide(owner.command())
      #expect(await response.status == 200)
    }
    // A refusal too may name what was done just before it.
    async let refusal = world.post(#"{"type":"tasks.x.y.v1","data":{}}"#)
    try await tasks.decide(
      tasks.command(), ["status": 409, "code": "tag-name-taken", "detail": "Taken.", "receipt": "tasks/0/3"])
    #expect(await refusal.status == 409)
    // An older receipt, as a repeat passes on, does not turn it back.
    async let response = world.post(#"{"type":"tasks.x.y.v1","data":{}}"#)
    try await tasks.decide(tasks.command(), ["status": "accepted", "receipt": "tasks/0/1"], isRepeat: true)
    #expect(await response.status == 200)
    _ = world.asked.take()
    _ = await world.get("/v1/items")
    _ = await world.get("/v1/history", [("workspace", "main")])
    _ = await world.get("/v1/items", [("workspace", "home")])
    _ = await world.get("/v1/events", [("workspace", "*")])
    _ = await world.get("/v1/items", [("after", "none")])
    _ = await world.get("/v1/items", [("after", "tasks/0/1")])
    #expect(
      world.asked.take() == [
        "projection /v1/items?after=library/0/1&after=tasks/0/3",
        "audit /v1/history?after=library/0/1&after=tasks/0/3&workspace=main", "projection /v1/items?workspace=home",
        "audit /v1/events?after=library/0/1&after=tasks/0/3&workspace=*",
        "projection /v1/items?", "projection /v1/items?after=tasks/0/1",
      ])
    try await world.stop()
  }

  @Test func `methods and paths that are not there are told`() async throws {
    let world = try await GatewayWorld.start()
    #expect(await world.get("/v1/positions").status == 404)
    #expect(await world.get("/v2/items").status == 404)
    var request = Request(method: "POST", path: "/v1/items", headers: ["content-type": "application/json"])
    let refused = await world.gateway.handler(request)
    #expect(refused.status == 405)
    #expect(refused.header("allow") == "GET, HEAD, OPTIONS")
    request.method = "DELETE"
    #expect(await world.gateway.handler(request).status == 405)
    #expect(await world.get("/healthz").status == 200)
    #expect(await world.get("/readyz").status == 200)
    try await world.stop()
  }

  @Test func `the status puts together what every part says`() async throws {
    let world = try await GatewayWorld.start()
    let status = await world.get("/v1/status").json
    #expect(status["ready"] == true)
    #expect(status["components"]?.array?.first == ["name": "gateway", "ready": true])
    #expect(status["projection"]?["name"] == "projection")
    #expect(status["audit"]?["name"] == "audit")
    try await world.stop()
    let lonely = try await GatewayWorld.start(audit: { _ in .problem(Problem(code: "x", status: 503, detail: "Away.")) }
    )
    let half = await lonely.get("/v1/status").json
    #expect(half["ready"] == false)
    #expect(half["audit"] == ["ready": false, "detail": "Away."])
    try await lonely.stop()
  }

  @Test func `the status names a service that does not decide, until it does`() async throws {
    let world = try await GatewayWorld.start()
    #expect(await world.post(#"{"type":"tasks.x.y.v1","data":{}}"#, query: [("wait", "1")]).status == 202)
    let status = await world.get("/v1/status").json
    #expect(status["ready"] == false)
    let told = status["components"]?.array?.last
    #expect(told?["name"] == "tasks")
    #expect(told?["detail"]?.string?.hasPrefix("1 command waits to be decided") == true)
    #expect(await world.get("/readyz").status == 200)
    let owner = try await FakeOwner(world.log)
    try await owner.decide(try await owner.command())
    // The one behind it is answered once both were read.
    async let next = world.post(#"{"type":"tasks.x.y.v1","data":{}}"#)
    try await owner.decide(try await owner.command())
    #expect(await next.status == 200)
    #expect(await world.get("/v1/status").json["ready"] == true)
    try await world.stop()
  }

  @Test func `decisions are read on from where the audit stands, with its epoch`() async throws {
    let folder = try TemporaryDirectory()
    let partition = Workspace.partition(of: Workspace.main, count: GatewayWorld.partitionCount)
    let first = try await GatewayWorld.start(folder: folder)
    let owner = try await FakeOwner(first.log, epoch: 3)
    let end = try await first.log.bounds(of: .init(Topic.events("tasks"), partition)).upperBound
    _ = owner
    try await first.stop()
    let audit: Handler = { request in
      guard request.path == "/v1/positions" else { return .json([:]) }
      return .json([
        "positions": [
          ["service": "tasks", "partition": JSON(partition), "offset": .integer(end), "epoch": 3, "sequence": 0]
        ]
      ])
    }
    let second = try await GatewayWorld.start(audit: audit, folder: folder)
    let again = try await FakeOwner(second.log, epoch: 0)
    async let response = second.post(#"{"type":"tasks.x.y.v1","data":{}}"#)
    let command = try await again.command()
    // Void beside the claim that stands before the position.
    try await again.decide(command, ["status": "accepted", "void": true], epoch: 2)
    let answer = try await again.decide(command, epoch: 3)
    #expect(await response.bytes == answer)
    try await second.stop()
  }

  @Test func `a position that this log does not have is not believed`() async throws {
    let audit: Handler = { _ in
      .json(["positions": [["service": "tasks", "partition": 0, "offset": 999, "epoch": 9, "sequence": 9]]])
    }
    let world = try await GatewayWorld.start(audit: audit)
    #expect(world.context.health.isReady)
    try await world.stop()
  }

  @Test func `a backend that cannot be reached is named`() async throws {
    let server = try Server { _ in .json(["a": 1]) }
    let url = "http://127.0.0.1:\(server.port)"
    let backend = try Backend.remote("projection", url: url)
    #expect(await backend(Request(path: "/v1/items")).json == ["a": 1])
    #expect(await backend(Request(method: "HEAD", path: "/v1/items")).json == ["a": 1])
    await server.stop()
    let response = await backend(Request(path: "/v1/items"))
    #expect(response.status == 503)
    #expect(response.json["detail"]?.string?.hasPrefix("The projection cannot be asked: ") == true)
    #expect(response.json["detail"]?.string?.contains(url) == true)
  }

  @Test func `a backend that does not answer in time is named`() async throws {
    let gate = Gate()
    let server = try Server { _ in
      await gate.wait()
      return .json([:])
    }
    let backend = try Backend.remote("audit", url: "http://127.0.0.1:\(server.port)", timeout: .milliseconds(30))
    let response = await backend(Request(path: "/v1/history"))
    #expect(response.status == 504)
    #expect(response.code == "timed-out")
    gate.open()
    await server.stop()
  }

  @Test func `a stream passes through piece by piece, and status and headers with it`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let behind = try Server { request in
      Response(
        headers: [("content-type", "application/x-ndjson"), ("x-query", request.values("from").first ?? "")],
        body: .stream(pieces))
    }
    let backend = try Backend.remote("audit", url: "http://127.0.0.1:\(behind.port)")
    let world = try await GatewayWorld.start(audit: { request in
      request.path == "/v1/positions" ? .json([:]) : await backend(request)
    })
    let front = try Server(handler: world.gateway.handler)
    let client = try HTTPClient(base: "http://127.0.0.1:\(front.port)")
    let response = try await client.stream(Request(path: "/v1/events", query: [("from", "ł/1")]))
    #expect(response.header("content-type") == "application/x-ndjson")
    #expect(response.header("x-query") == "ł/1")
    guard case .stream(let stream) = response.body else { return }
    var received = stream.makeAsyncIterator()
    for line in ["{\"a\":1}\n", "{\"b\":2}\n"] {
      piece.yield(Array(line.utf8))
      #expect(try await received.next() == Array(line.utf8))
    }
    piece.finish()
    #expect(try await received.next() == nil)
    await front.stop()
    await behind.stop()
    try await world.stop()
  }
}
