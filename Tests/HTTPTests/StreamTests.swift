import Messaging
import Synchronization
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct StreamTests {
  @Test func `a stream arrives piece by piece and ends`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    try await withServer({ _ in
      Response(headers: [("content-type", "application/x-ndjson")], body: .stream(pieces))
    }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      let response = try await client.stream(Request(path: "/"))
      #expect(response.header("content-type") == "application/x-ndjson")
      guard case .stream(let stream) = response.body else {
        Issue.record("no stream")
        return
      }
      var received = stream.makeAsyncIterator()
      for line in ["{\"a\":1}\n", "{\"b\":2}\n"] {
        piece.yield(Array(line.utf8))
        #expect(try await received.next() == Array(line.utf8))
      }
      piece.finish()
      #expect(try await received.next() == nil)
    }
  }

  @Test func `a large stream arrives whole, at the pace of its reader`() async throws {
    try await withServer({ _ in
      let left = Mutex(400)
      return Response(
        body: .stream(
          AsyncThrowingStream {
            let left = left.withLock { left in
              left -= 1
              return left
            }
            return left < 0 ? nil : Array(repeating: UInt8(truncatingIfNeeded: left), count: 10_000)
          }))
    }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      guard case .bytes(let bytes) = try await client.send(Request(path: "/")).body else { return }
      #expect(bytes.count == 4_000_000)
      #expect(bytes.last == 0)
    }
  }

  @Test func `a stream is cancelled when its client goes away, though nothing is sent`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    piece.onTermination = { _ in end.finish() }
    try await withServer({ _ in
      Response(body: .stream(pieces))
    }) { server in
      let connection = try await RawConnection(server)
      try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      piece.yield(Array("x".utf8))
      _ = try await connection.read(until: "x")
      connection.socket.close()
      for await _ in ended {}
    }
  }

  @Test func `a stream that fails does not look whole`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    try await withServer({ _ in
      Response(body: .stream(pieces))
    }) { server in
      piece.yield(Array("x".utf8))
      piece.finish(throwing: Problem.malformed("broken"))
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      let base = client.base
      await #expect(throws: HTTPClientError.broken(base, why: "it closed before the end of the answer")) {
        try await client.send(Request(path: "/"))
      }
    }
  }

  @Test func `a stop ends streams without waiting for them`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let server = try Server { _ in Response(body: .stream(pieces)) }
    let connection = try await RawConnection(server)
    try await connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    piece.yield(Array("x".utf8))
    _ = try await connection.read(until: "x")
    await server.stop(patience: .seconds(50))
    #expect(try await !connection.readToEnd().hasSuffix("0\r\n\r\n"))
  }

  @Test func `HEAD of a stream has no body and ends the stream`() async throws {
    let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    piece.onTermination = { _ in end.finish() }
    try await withServer({ _ in
      Response(body: .stream(pieces))
    }) { server in
      let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)")
      #expect(try await client.send(Request(method: "HEAD", path: "/")).status == 200)
      for await _ in ended {}
    }
  }
}
