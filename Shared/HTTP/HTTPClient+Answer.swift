import Messaging

/// Reads one answer from a socket: the head, then the body piece by piece. A value per answer; bytes behind its end stay
/// unread, and the connection is then not used again.
struct AnswerReader {
  private enum Framing {
    case none
    case length(Int)
    case chunked
    case untilClose
  }

  /// The most that an answer's head may have.
  private static let largestHead = 64 * 1024

  private let socket: TCPSocket
  private var buffer: [UInt8] = []
  private var at = 0
  private var framing = Framing.none
  private var keepAlive = true

  init(_ socket: TCPSocket) { self.socket = socket }

  /// Whether the whole answer was read and the connection may carry another request.
  var isReusable: Bool {
    guard case .none = framing else { return false }
    return keepAlive && at == buffer.count
  }

  /// The status and the headers; interim answers (100) are passed over.
  mutating func head(method: String, deadline: Int64) async throws(TCPSocket.Failure) -> Response {
    while true {
      let lines = try await headLines(deadline)
      let start = lines[0].split(separator: " ", maxSplits: 2)
      guard start.count >= 2, start[0].hasPrefix("HTTP/1."), let status = Int(start[1]) else {
        throw .broken("what came is not HTTP")
      }
      var response = Response(status: status)
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { throw .broken("a header has no colon") }
        let value = line[line.index(after: colon)...].trimmingSpaces
        response.headers.append((line[..<colon].lowercased(), value))
      }
      guard status >= 200 else { continue }
      try frame(response, method: method, old: start[0] == "HTTP/1.0")
      return response
    }
  }

  private mutating func frame(_ response: Response, method: String, old: Bool) throws(TCPSocket.Failure) {
    let connection = response.header("connection")?.lowercased() ?? ""
    keepAlive = old ? connection.contains("keep-alive") : !connection.contains("close")
    if method == "HEAD" || response.status == 204 || response.status == 304 {
      framing = .none
    } else if response.header("transfer-encoding")?.lowercased() == "chunked" {
      framing = .chunked
    } else if let text = response.header("content-length") {
      guard let length = Int(text), length >= 0 else { throw .broken("the content length is no number") }
      framing = length == 0 ? .none : .length(length)
    } else {
      framing = .untilClose
      keepAlive = false
    }
  }

  /// The next piece of the body; nil at its end.
  mutating func next(deadline: Int64) async throws(TCPSocket.Failure) -> [UInt8]? {
    switch framing {
    case .none: return nil
    case .length(let rest):
      let piece = try await some(atMost: rest, deadline)
      guard !piece.isEmpty else { throw .broken("it closed before the end of the answer") }
      framing = piece.count == rest ? .none : .length(rest - piece.count)
      return piece
    case .untilClose:
      let piece = try await some(atMost: 64 * 1024, deadline)
      if piece.isEmpty { framing = .none }
      return piece.isEmpty ? nil : piece
    case .chunked: return try await chunk(deadline)
    }
  }

  private mutating func chunk(_ deadline: Int64) async throws(TCPSocket.Failure) -> [UInt8]? {
    let line = try await line(deadline)
    guard let size = Int(line.prefix { $0 != ";" }.trimmingSpaces, radix: 16), (0...(1 << 30)).contains(size) else {
      throw .broken("a chunk has no size")
    }
    if size == 0 {
      while try await !self.line(deadline).isEmpty {}
      framing = .none
      return nil
    }
    while buffer.count - at < size + 2 { try await fill(deadline) }
    let piece = Array(buffer[at..<at + size])
    at += size + 2
    return piece
  }

  private mutating func some(atMost limit: Int, _ deadline: Int64) async throws(TCPSocket.Failure) -> [UInt8] {
    guard at < buffer.count else { return try await socket.read(atMost: min(limit, 64 * 1024), deadline: deadline) }
    let piece = Array(buffer[at..<min(buffer.count, at + limit)])
    at += piece.count
    return piece
  }

  private mutating func headLines(_ deadline: Int64) async throws(TCPSocket.Failure) -> [String] {
    var lines: [String] = []
    var size = 0
    while true {
      let line = try await line(deadline)
      if line.isEmpty, !lines.isEmpty { return lines }
      size += line.utf8.count
      guard size <= Self.largestHead else { throw .broken("the head of the answer is too large") }
      if !line.isEmpty { lines.append(line) }
    }
  }

  private mutating func line(_ deadline: Int64) async throws(TCPSocket.Failure) -> String {
    var searched = at
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0a) {
        let line = buffer[at..<end]
        at = end + 1
        return String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
      }
      let unread = buffer.count - at
      guard unread <= Self.largestHead else { throw .broken("a line of the answer is too long") }
      try await fill(deadline)
      searched = at + unread
    }
  }

  private mutating func fill(_ deadline: Int64) async throws(TCPSocket.Failure) {
    let more = try await socket.read(atMost: 16 * 1024, deadline: deadline)
    guard !more.isEmpty else { throw .broken("it closed before the end of the answer") }
    if at > 0 {
      buffer.removeFirst(at)
      at = 0
    }
    buffer += more
  }
}

extension Response {
  /// The first header of that name (given in lower case).
  package func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text.drop { $0 == " " || $0 == "\t" })
  }
}
