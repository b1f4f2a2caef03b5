import Testing

@testable import HTTP

/// A connection on which a test sends bytes as it likes.
struct RawConnection {
  let socket: TCPSocket
  private static let patience: Int64 = 20_000_000_000

  init(_ server: Server) async throws {
    socket = try await TCPSocket.connect(
      host: "127.0.0.1", port: server.port, deadline: Poller.now() + Self.patience)
  }

  func send(_ text: String) async throws {
    try await socket.write(Array(text.utf8), deadline: Poller.now() + Self.patience)
  }

  /// Everything until the server closes.
  func readToEnd() async throws -> String {
    var all: [UInt8] = []
    while true {
      let piece: [UInt8]
      do {
        piece = try await socket.read(atMost: 65536, deadline: Poller.now() + Self.patience)
      } catch TCPSocket.Failure.broken {
        break
      }
      if piece.isEmpty { break }
      all += piece
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Until the text has come; what came up to then.
  func read(until end: String) async throws -> String {
    var all = ""
    while !all.contains(end) {
      let piece = try await socket.read(atMost: 65536, deadline: Poller.now() + Self.patience)
      try #require(!piece.isEmpty, "closed after \(all)")
      all += String(decoding: piece, as: UTF8.self)
    }
    return all
  }
}

/// Runs the body with a server and stops it.
func withServer(
  _ handler: @escaping Handler = echo, limits: Limits = Limits(), observe: Server.Observer? = nil,
  _ body: (Server) async throws -> Void
) async throws {
  let server = try Server(limits: limits, observe: observe, handler: handler)
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// Tells what it got.
let echo: Handler = { request in
  let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  return .text("\(request.method) \(request.path) [\(query)] \(String(decoding: request.body, as: UTF8.self))")
}
