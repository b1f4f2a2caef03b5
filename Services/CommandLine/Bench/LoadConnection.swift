import Foundation

/// One keep-alive connection that posts and waits: blocking and as thin as can be, so that the load costs little of the
/// machine that it measures.
package final class LoadConnection {
  private let descriptor: Int32
  private let host: String
  private let credentials: String
  private var buffer: [UInt8] = []

  package struct Failure: Error, CustomStringConvertible { package let description: String }

  package init(port: Int, token: String? = nil) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(descriptor)
      throw Failure(description: "cannot connect to 127.0.0.1:\(port)")
    }
    self.descriptor = descriptor
    host = "Host: 127.0.0.1:\(port)\r\n"
    credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
  }

  deinit { close(descriptor) }

  /// The body of the last answer.
  package private(set) var body: ArraySlice<UInt8> = []

  /// Posts one command; returns the status.
  package func post(_ body: String) throws -> Int {
    try send(posting(body))
    return try answer()
  }

  /// The request that posts one command.
  func posting(_ body: String) -> String {
    "POST /v1/commands HTTP/1.1\r\n\(host)\(credentials)Content-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// Sends each request as soon as a connection has its answer to the one before: one thread for all connections, so
  /// that the load costs little. Throws at an answer other than 200.
  static func send(_ requests: [String], over connections: [LoadConnection]) throws {
    var rest = requests[...]
    var waiting: [pollfd] = []
    for connection in connections {
      guard let request = rest.popFirst() else { break }
      try connection.send(request)
      waiting.append(pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0))
    }
    var left = requests.count
    while left > 0 {
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 || errno == EINTR else {
        throw Failure(description: "the connections cannot be watched")
      }
      for index in waiting.indices where waiting[index].revents != 0 {
        let status = try connections[index].answer()
        guard status == 200 else { throw Failure(description: "a command was answered \(status)") }
        left -= 1
        if let request = rest.popFirst() { try connections[index].send(request) } else { waiting[index].fd = -1 }
      }
    }
  }

  /// Gets a path with its query, percent-encoded; returns the status.
  package func get(_ path: String) throws -> Int {
    try send("GET \(path) HTTP/1.1\r\n\(host)\(credentials)\r\n")
    return try answer()
  }

  private func send(_ text: String) throws {
    var request = Array(text.utf8)
    try request.withUnsafeMutableBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = write(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
        guard count > 0 else { throw Failure(description: "the connection was closed while sending") }
        sent += count
      }
    }
  }

  private func answer() throws -> Int {
    buffer.removeAll(keepingCapacity: true)
    var end: Int?
    var length = 0
    while true {
      if end == nil, let at = headEnd() {
        end = at
        length = contentLength(buffer[..<at])
      }
      if let end, buffer.count >= end + length { break }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { throw Failure(description: "the connection was closed before the answer") }
      buffer += chunk[..<count]
    }
    guard buffer.count > 12, let status = Int(String(decoding: buffer[9..<12], as: UTF8.self)) else {
      throw Failure(description: "no HTTP answer")
    }
    body = buffer[(end ?? buffer.count)...]
    return status
  }

  private func headEnd() -> Int? {
    guard buffer.count >= 4 else { return nil }
    for at in 0...(buffer.count - 4)
    where buffer[at] == 13 && buffer[at + 1] == 10 && buffer[at + 2] == 13 && buffer[at + 3] == 10 { return at + 4 }
    return nil
  }

  private func contentLength(_ head: ArraySlice<UInt8>) -> Int {
    for line in String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
    where line.hasPrefix("content-length:") {
      return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
    }
    return 0
  }
}
