import Messaging

/// Why a request is refused before any handler sees it. Every such answer closes the connection: what follows on it
/// may not be what the client meant as a request.
struct RequestError: Error {
  let problem: Problem

  static func malformed(_ detail: String) -> RequestError {
    RequestError(problem: .malformed("The request is refused: \(detail)."))
  }
  static func status(_ status: Int, _ code: String, _ detail: String) -> RequestError {
    RequestError(problem: Problem(code: code, status: status, detail: detail))
  }
}

/// A request's head, checked. libmicrohttpd lets several forms pass that two programs can read differently (repeated
/// `Content-Length` and `Host`, a length beside a transfer coding); all are refused here.
struct RequestHead {
  let method: String
  let target: RequestTarget
  /// Names in lower case; repeated headers joined by a comma.
  let headers: [String: String]

  init(
    method: String, version: String, target raw: [UInt8], fields: [(name: String, value: String)], limits: Limits
  ) throws(RequestError) {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw .status(505, "http-version", "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    }
    guard method != "TRACE", method != "CONNECT" else {
      throw .status(405, "method-not-allowed", "\(method) is not taken here.")
    }
    guard raw.count <= limits.target else {
      throw .status(414, "target-too-long", "The request's path and query have more than \(limits.target) bytes.")
    }
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard size <= limits.headers, fields.count <= limits.headerCount else {
      throw .status(
        431, "headers-too-large",
        "The request has more than \(limits.headerCount) headers or \(limits.headers) bytes of them.")
    }
    self.method = method
    target = try RequestTarget(raw)
    headers = try Self.joined(fields)
    try Self.checkHost(headers["host"], target.authority, version)
    try checkFraming(version, limits)
  }

  private static func joined(_ fields: [(name: String, value: String)]) throws(RequestError) -> [String: String] {
    var headers: [String: String] = [:]
    headers.reserveCapacity(fields.count)
    for field in fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(isToken) else {
        throw .malformed("a header's name holds a character that may not stand there")
      }
      guard !field.value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7f }) else {
        throw .malformed("a header's value holds a control character")
      }
      let name = field.name.lowercased()
      if let earlier = headers[name] {
        guard !single.contains(name) else { throw .malformed("the header \(name) stands more than once") }
        headers[name] = earlier + ", " + field.value
      } else {
        headers[name] = field.value
      }
    }
    return headers
  }

  /// What means something else, or nothing, when it stands twice.
  private static let single: Set = [
    "host", "content-length", "transfer-encoding", "content-type", "authorization", "idempotency-key", "origin",
  ]

  private static func checkHost(_ host: String?, _ authority: String?, _ version: String) throws(RequestError) {
    guard let host else {
      guard version == "HTTP/1.0", authority == nil else { throw .malformed("it has no Host header") }
      return
    }
    let isPlain = host.utf8.allSatisfy { byte in
      isToken(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
    }
    guard isPlain, HTTPAddress.split(host) != nil else { throw .malformed("its Host header is no host") }
    if let authority, authority.lowercased() != host.lowercased() {
      throw .malformed("its target names another host than its Host header")
    }
  }

  private func checkFraming(_ version: String, _ limits: Limits) throws(RequestError) {
    if let coding = headers["transfer-encoding"] {
      guard headers["content-length"] == nil else {
        throw .malformed("it has both a Content-Length and a Transfer-Encoding")
      }
      guard version == "HTTP/1.1" else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
      guard coding.lowercased() == "chunked" else {
        throw .status(501, "transfer-coding", "The only transfer coding taken here is chunked.")
      }
    }
    guard let text = headers["content-length"] else { return }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let length = Int(text) else {
      throw .malformed("its Content-Length is no number")
    }
    guard length <= limits.body else { throw .tooLarge(limits) }
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension RequestError {
  static func tooLarge(_ limits: Limits) -> RequestError {
    RequestError(problem: .tooLarge("The body has more than \(limits.body) bytes."))
  }
}
