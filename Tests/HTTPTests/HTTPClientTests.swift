import Glibc
import Messaging
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
  @Test func `method, path, query, headers, token and body arrive as they were given`() async throws {
    try await withServer({ request in
      .text(
        [
          request.method, request.path, "\(request.values("q"))", request.headers["authorization"] ?? "-",
          request.headers["x-a"] ?? "-", String(decoding: request.body, as: UTF8.self),
        ].joined(separator: " "))
    }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)/base/", token: "secret")
      var request = Request(
        method: "POST", path: "/v1/x", query: [("q", "a b&c=ł"), ("q", "")], body: Array("hé".utf8))
      request.headers = ["x-a": "b", "host": "wrong", "authorization": "wrong", "content-length": "3"]
      let response = try await client.send(request)
      #expect(response.bodyText == "POST /base/v1/x [\"a b&c=ł\", \"\"] Bearer secret b hé")
    }
  }

  @Test func `connections are kept and used again`() async throws {
    try await withServer({ _ in .text("x") }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      for _ in 0..<50 { _ = try await client.send(Request(path: "/")) }
      #expect(client.idle.withLock { $0.count } == 1)
    }
  }

  @Test func `a kept connection that the server closed is replaced`() async throws {
    var limits = Limits()
    limits.idle = .seconds(1)
    try await withServer(limits: limits) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      #expect(try await client.send(Request(method: "POST", path: "/")).status == 200)
      let kept = try #require(client.idle.withLock { $0.first })
      #expect(try await kept.read(atMost: 1, deadline: .max).isEmpty)
      #expect(try await client.send(Request(method: "POST", path: "/")).status == 200)
      #expect(client.idle.withLock { $0.count } == 1)
    }
  }

  @Test func `nobody listening, a foreign answer and no answer are told apart`() async throws {
    // Bound, so that nobody else gets the port, but not listening.
    let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(bound) }
    #expect(try Address.lookup("127.0.0.1", 0, passive: true)[0].bind(bound) == 0)
    let base = "http://127.0.0.1:\(boundPort(bound))"
    await #expect(throws: HTTPClientError.refused(base)) {
      try await HTTPClient(base: base).send(Request(path: "/"))
    }
    await #expect(throws: HTTPClientError.self) {
      try await HTTPClient(base: "http://nowhere.invalid").send(Request(path: "/"))
    }
    let (never, keep) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task { for await _ in never {} }
    try await withServer({ _ in
      await waiting.value
      return .text("")
    }) { server in
      let base = "http://127.0.0.1:\(server.port)"
      await #expect(throws: HTTPClientError.timedOut(base)) {
        try await HTTPClient(base: base).send(Request(path: "/"), timeout: .milliseconds(30))
      }
      keep.finish()
    }
    for url in ["https://a", "a:80", "http://", "http://u@a", "http://a:x", "http://a/?q"] {
      #expect(throws: HTTPClientError.badURL(url)) { try HTTPClient(base: url) }
    }
  }

  @Test func `a cancelled request ends at once`() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (never, keep) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task { for await _ in never {} }
    try await withServer({ _ in
      begin.finish()
      await waiting.value
      return .text("")
    }) { server in
      let base = "http://127.0.0.1:\(server.port)"
      let task = Task { try await HTTPClient(base: base).send(Request(path: "/")) }
      for await _ in begun {}
      task.cancel()
      await #expect(throws: HTTPClientError.cancelled) { try await task.value }
      keep.finish()
    }
  }
}

extension Response {
  var bodyText: String {
    guard case .bytes(let bytes) = body else { return "(a stream)" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
