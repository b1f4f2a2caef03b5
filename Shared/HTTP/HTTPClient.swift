import Synchronization

/// An HTTP/1.1 client for one address: keep-alive, time-outs, streams. `http://` only. Any number of requests at once.
package final class HTTPClient: Sendable {
  /// `http://host:port`, without a path's trailing slash; what errors name.
  package let base: String
  private let host: String
  private let port: Int
  private let prefix: String
  private let token: String?
  private let connecting: Duration
  /// Connections that wait for another request.
  let idle = Mutex<[TCPSocket]>([])

  /// The most connections that are kept for later requests.
  private static let largestPool = 64
  /// The most that `send` takes of a body.
  private static let largestBody = 1 << 30

  /// `token` goes with every request as `Authorization: Bearer`. Throws `badURL`.
  package init(
    base: String, token: String? = nil, connecting: Duration = .seconds(5)
  ) throws(HTTPClientError) {
    guard let url = HTTPAddress(base) else { throw .badURL(base) }
    self.base = url.description
    (host, port, prefix) = (url.host, url.port, url.path)
    self.token = token
    self.connecting = connecting
  }

  /// Forgets the kept connections.
  package func close() { idle.withLock { $0 = [] } }

  /// Sends and reads the whole answer, whatever its status. A request that may be sent twice (GET, or with an
  /// `idempotency-key`) is sent again where a kept connection turns out to be closed.
  package func send(_ request: Request, timeout: Duration = .seconds(30)) async throws(HTTPClientError) -> Response {
    let deadline = deadline(in: timeout)
    return try await exchange(request, deadline) { response, reader throws(TCPSocket.Failure) in
      var response = response
      var body: [UInt8] = []
      while let piece = try await reader.next(deadline: deadline) {
        body += piece
        guard body.count <= Self.largestBody else { throw .broken("the answer is too large") }
      }
      response.body = .bytes(body)
      return response
    }
  }

  /// Sends and reads the head within `timeout`; the body comes as a stream, for as long as the other side sends. The
  /// connection closes when the stream ends, is dropped, or its reader is cancelled.
  package func stream(_ request: Request, timeout: Duration = .seconds(30)) async throws(HTTPClientError) -> Response {
    let base = base
    return try await exchange(request, deadline(in: timeout)) { response, reader throws(TCPSocket.Failure) in
      var response = response
      let rest = AnswerStream(reader)
      response.body = .stream(
        AsyncThrowingStream {
          do throws(TCPSocket.Failure) {
            return try await rest.next()
          } catch {
            throw HTTPClientError(error, base)
          }
        })
      return response
    }
  }

  private func deadline(in timeout: Duration) -> Int64 {
    let (seconds, attoseconds) = timeout.components
    let (nanoseconds, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !over else { return .max }
    let (sum, overflow) = Poller.now().addingReportingOverflow(nanoseconds + attoseconds / 1_000_000_000)
    return overflow ? .max : sum
  }

  private func exchange(
    _ request: Request, _ deadline: Int64,
    _ finish: (Response, inout AnswerReader) async throws(TCPSocket.Failure) -> Response
  ) async throws(HTTPClientError) -> Response {
    let bytes = text(of: request)
    let repeatable =
      request.method == "GET" || request.method == "HEAD" || request.headers["idempotency-key"] != nil
    do throws(TCPSocket.Failure) {
      var kept = idle.withLock { $0.popLast() }
      if let socket = kept, !socket.isQuiet { kept = nil }
      if let socket = kept {
        do throws(TCPSocket.Failure) {
          return try await exchange(request.method, bytes, socket, deadline, finish)
        } catch {
          guard repeatable, case .broken = error else { throw error }
        }
      }
      let socket = try await TCPSocket.connect(
        host: host, port: port, deadline: min(deadline, self.deadline(in: connecting)))
      return try await exchange(request.method, bytes, socket, deadline, finish)
    } catch {
      throw HTTPClientError(error, base)
    }
  }

  private func exchange(
    _ method: String, _ bytes: [UInt8], _ socket: TCPSocket, _ deadline: Int64,
    _ finish: (Response, inout AnswerReader) async throws(TCPSocket.Failure) -> Response
  ) async throws(TCPSocket.Failure) -> Response {
    try await socket.write(bytes, deadline: deadline)
    var reader = AnswerReader(socket)
    let head = try await reader.head(method: method, deadline: deadline)
    let response = try await finish(head, &reader)
    if case .bytes = response.body, reader.isReusable {
      idle.withLock { if $0.count < Self.largestPool { $0.append(socket) } }
    }
    return response
  }

  private func text(of request: Request) -> [UInt8] {
    var target = prefix + request.path
    for (index, (name, value)) in request.query.enumerated() {
      target += (index == 0 ? "?" : "&") + PercentCoding.encode(name) + "=" + PercentCoding.encode(value)
    }
    var head = "\(request.method) \(target) HTTP/1.1\r\nhost: \(host.contains(":") ? "[\(host)]" : host):\(port)\r\n"
    if let token { head += "authorization: Bearer \(token)\r\n" }
    let own: Set = ["host", "content-length", "transfer-encoding", "connection", token == nil ? "" : "authorization"]
    for (name, value) in request.headers where !own.contains(name) && !value.utf8.contains(where: { $0 < 0x20 }) {
      head += "\(name): \(value)\r\n"
    }
    if !request.body.isEmpty || request.method == "POST" { head += "content-length: \(request.body.count)\r\n" }
    return Array((head + "\r\n").utf8) + request.body
  }
}

/// The rest of an answer, read by whoever pulls the stream.
private actor AnswerStream {
  private var reader: AnswerReader?
  init(_ reader: AnswerReader) { self.reader = reader }

  func next() async throws(TCPSocket.Failure) -> [UInt8]? {
    guard var reader else { return nil }
    self.reader = nil
    let piece = try await reader.next(deadline: .max)
    if piece != nil { self.reader = reader }
    return piece
  }
}

extension HTTPClientError {
  init(_ failure: TCPSocket.Failure, _ base: String) {
    switch failure {
    case .refused: self = .refused(base)
    case .unreachable(let why): self = .unreachable(base, why: why)
    case .timedOut: self = .timedOut(base)
    case .broken(let why): self = .broken(base, why: why)
    case .cancelled: self = .cancelled
    }
  }
}
