import Dispatch
import Messaging
import Synchronization
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct ServerTests {
  @Test func `requests on one connection are answered in order, also when sent at once`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(server)
      try await connection.send(
        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
          + "HEAD /3 HTTP/1.1\r\nHost: a\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let answer = try await connection.readToEnd()
      #expect(answer.split(separator: "HTTP/1.1 200 OK").count == 4)
      #expect(answer.contains("GET /1 []"))
      #expect(answer.contains("POST /2 [] ab"))
      #expect(!answer.contains("HEAD /3"))
      #expect(answer.hasSuffix("GET /4 [] "))
    }
  }

  @Test func `a client that expects 100 is told to go on`() async throws {
    try await withServer { server in
      let connection = try await RawConnection(server)
      try await connection.send(
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
      #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await connection.send("ab")
      #expect(try await connection.readToEnd().hasSuffix("POST / [] ab"))
    }
  }

  @Test func `handlers that wait do not keep others waiting`() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let gateTask = Task { for await _ in gate {} }
    try await withServer({ request in
      if request.path == "/wait" { await gateTask.value }
      return .text(request.path)
    }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<40 { group.addTask { try await client.send(Request(path: "/wait")).status } }
        for _ in 0..<100 { #expect(try await client.send(Request(path: "/now")).status == 200) }
        open.finish()
        for try await status in group { #expect(status == 200) }
      }
    }
  }

  /// About as many as libmicrohttpd with epoll takes at a time: after exactly so many it waits for one more.
  @Test(arguments: [125, 126, 127, 128, 254])
  func `so many requests that come at once are all answered`(count: Int) async throws {
    let hold = Hold()
    try await withServer({ request in
      if request.path == "/hold" { hold.block() }
      return .text(request.path)
    }) { server in
      var connections: [RawConnection] = []
      for _ in 0...count { connections.append(try await RawConnection(server)) }
      for connection in connections { try await connection.send("GET /0 HTTP/1.1\r\nHost: a\r\n\r\n") }
      for connection in connections { _ = try await connection.read(until: "/0") }
      // The server's thread stands still while the others' requests come.
      let last = connections.removeLast()
      try await last.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
      await hold.blocked()
      for connection in connections { try await connection.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n") }
      hold.release()
      for connection in connections { _ = try await connection.read(until: "/1") }
      _ = try await last.read(until: "/hold")
    }
  }

  @Test func `a taken port is refused in one sentence that names it`() async throws {
    try await withServer { server in
      let error = #expect(throws: ServerError.self) { try Server(port: server.port, handler: echo) }
      #expect(error?.description.contains("port \(server.port) of 127.0.0.1 is taken") == true)
    }
  }

  @Test func `an address of another machine is refused in one sentence`() {
    let error = #expect(throws: ServerError.self) { try Server(host: "192.0.2.1", handler: echo) }
    #expect(error?.description == "192.0.2.1 is no address of this machine")
  }

  @Test func `a stop waits for the request under way and lets nobody in`() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let server = try Server { _ in
      begin.finish()
      for await _ in gate {}
      return .text("done")
    }
    let connection = try await RawConnection(server)
    try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    for await _ in begun {}
    async let stopped: Void = server.stop()
    await #expect(throws: HTTPClientError.self) {
      // The listener closes before the stop begins to wait.
      while true { _ = try await HTTPClient(base: "http://127.0.0.1:\(server.port)").send(Request(path: "/")) }
    }
    open.finish()
    #expect(try await connection.readToEnd().hasSuffix("done"))
    await stopped
  }

  @Test func `a stop does not wait for good: the request is answered 503`() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (never, keep) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task { for await _ in never {} }
    let server = try Server { _ in
      begin.finish()
      await waiting.value
      return .text("late")
    }
    let connection = try await RawConnection(server)
    try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    for await _ in begun {}
    await server.stop(patience: .milliseconds(20))
    #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 503 "))
    keep.finish()
  }

  @Test func `a connection that sends no whole request in time is closed`() async throws {
    var limits = Limits()
    limits.idle = .milliseconds(50)
    limits.receiving = .milliseconds(50)
    try await withServer(limits: limits) { server in
      for start in ["", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab"] {
        let connection = try await RawConnection(server)
        try await connection.send(start)
        #expect(try await connection.readToEnd().isEmpty)
      }
    }
  }

  @Test func `an idle connection is closed after its time, a used one begins anew`() async throws {
    var limits = Limits()
    limits.idle = .seconds(1)
    try await withServer(limits: limits) { server in
      let connection = try await RawConnection(server)
      for _ in 0..<3 {
        try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await connection.read(until: "GET / []")
      }
      #expect(try await connection.readToEnd().trimmingPrefix(" ").isEmpty)
    }
  }

  @Test func `one address may hold only so many connections`() async throws {
    var limits = Limits()
    limits.connectionsPerAddress = 2
    try await withServer(limits: limits) { server in
      var held: [RawConnection] = []
      for _ in 0..<2 {
        let connection = try await RawConnection(server)
        try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await connection.read(until: "GET / []")
        held.append(connection)
      }
      #expect(try await RawConnection(server).readToEnd().isEmpty)
    }
  }

  @Test func `connections beyond the limit wait until one closes`() async throws {
    var limits = Limits()
    limits.connections = 1
    try await withServer(limits: limits) { server in
      let first = try await RawConnection(server)
      try await first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try await first.read(until: "GET /1 []")
      let second = try await RawConnection(server)
      try await second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
      first.socket.close()
      _ = try await second.read(until: "GET /2 []")
    }
  }

  @Test func `the observer hears of route, method, status and duration`() async throws {
    let (served, serve) = AsyncStream.makeStream(of: String.self)
    var router = Router()
    router.on("GET", "/v1/items/{id}") { .text($0.parameters["id"] ?? "") }
    let observe: Server.Observer = { route, method, status, seconds in
      serve.yield("\(method) \(route) \(status) \(seconds >= 0)")
    }
    try await withServer(router.handle, observe: observe) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      var heard = served.makeAsyncIterator()
      #expect(try await client.send(Request(path: "/v1/items/7")).status == 200)
      #expect(await heard.next() == "GET /v1/items/{id} 200 true")
      #expect(try await client.send(Request(path: "/v1/other")).status == 404)
      #expect(await heard.next() == "GET  404 true")
      #expect(try await client.send(Request(method: "BREW", path: "/v1/items/7")).status == 405)
      #expect(await heard.next() == "other  405 true")
    }
  }
}

/// Blocks a thread until it is released.
private final class Hold: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let entered: AsyncStream<Void>
  private let enter: AsyncStream<Void>.Continuation

  init() { (entered, enter) = AsyncStream.makeStream() }

  func block() {
    enter.finish()
    semaphore.wait()
  }
  func blocked() async { for await _ in entered {} }
  func release() { semaphore.signal() }
}
