import HTTP
import Messaging
import Synchronization

@testable import CommandLineClient

/// A server that answers as a test says, and remembers what it was asked.
final class FakeServer: Sendable {
  private final class Asked: Sendable {
    let requests = Mutex<[Request]>([])
  }
  private let asked: Asked
  private let server: Server

  /// `answer` gets the number of the request, from 1, and the request.
  init(_ answer: @escaping @Sendable (Int, Request) async -> Response) throws {
    let asked = Asked()
    self.asked = asked
    server = try Server(host: "127.0.0.1", port: 0) { request in
      let number = asked.requests.withLock { requests in
        requests.append(request)
        return requests.count
      }
      return await answer(number, request)
    }
  }

  var url: String { "http://127.0.0.1:\(server.port)" }
  var requests: [Request] { asked.requests.withLock { $0 } }
  /// The bodies of what was asked, as documents.
  var bodies: [JSON] { requests.map { API.json($0.body) } }
  func stop() async { await server.stop() }

  /// Serves while the body runs.
  static func serving(
    _ answer: @escaping @Sendable (Int, Request) async -> Response, _ body: (FakeServer) async throws -> Void
  ) async throws {
    let server = try FakeServer(answer)
    do {
      try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}

extension Response {
  /// What the gateway answers to an accepted command.
  static func accepted(_ request: Request, receipt: String = "tasks/3/42") -> Response {
    let body = API.json(request.body)
    return .json([
      "status": "accepted", "receipt": .string(receipt), "id": "0190c2a4-0000-7000-8000-0000a1b2c3d4",
      "command": body["id"] ?? .null, "type": body["type"] ?? .null, "workspace": body["workspace"] ?? .null,
    ])
  }
}
