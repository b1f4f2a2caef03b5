package import Messaging

/// An HTTP answer.
package struct Response: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// Sent chunk by chunk as they come; ends with the stream. The stream is cancelled when the client goes away.
    case stream(AsyncThrowingStream<[UInt8], any Error>)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body
  /// The pattern of the route that answered, the label of its metrics; empty where none did. Set by the router.
  package var route = ""

  package init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// `application/json`.
  package static func json(_ json: JSON, status: Int = 200) -> Response { .json(bytes: json.bytes, status: status) }
  /// `application/json` of ready bytes.
  package static func json(bytes: [UInt8], status: Int = 200) -> Response {
    Response(status: status, headers: [("content-type", "application/json")], body: .bytes(bytes))
  }
  /// `text/plain`.
  package static func text(_ text: String, status: Int = 200) -> Response {
    Response(status: status, headers: [("content-type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
  }
  /// `application/problem+json` (RFC 9457).
  package static func problem(_ problem: Problem) -> Response {
    Response(
      status: problem.status, headers: [("content-type", "application/problem+json")],
      body: .bytes(Messaging.JSON.object(problem.json).bytes))
  }
}

/// What answers a request. Never throws: a router has made every error a response.
package typealias Handler = @Sendable (Request) async -> Response
