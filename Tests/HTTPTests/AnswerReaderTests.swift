import Glibc
import Testing

@testable import HTTP

/// What a server may send, and what a client must make of it.
struct Answered: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: String
  /// Nil where it must be refused.
  let body: String?
  var status = 200
  /// Nil where it depends on how the bytes come.
  var isReusable: Bool? = true
  var method = "GET"
  var testDescription: String { name }
}

private let answers: [Answered] = [
  Answered(name: "a length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", body: "ab"),
  Answered(name: "bare line feeds", bytes: "HTTP/1.1 200 OK\nContent-Length: 2\n\nab", body: "ab"),
  Answered(
    name: "chunks with extensions and trailers",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nab\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    body: "ab0123456789"),
  Answered(name: "until it closes", bytes: "HTTP/1.1 200 OK\r\n\r\nabc", body: "abc", isReusable: false),
  Answered(
    name: "an interim answer", bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
    body: "", status: 201),
  Answered(name: "no content", bytes: "HTTP/1.1 204 No Content\r\n\r\n", body: "", status: 204),
  Answered(
    name: "the head alone", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", body: "", method: "HEAD"),
  Answered(name: "no reason", bytes: "HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", body: "", status: 404),
  Answered(
    name: "a close is announced", bytes: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
    body: "a", isReusable: false),
  Answered(
    name: "HTTP/1.0", bytes: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", body: "a", isReusable: false),
  Answered(
    name: "something behind the answer", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n",
    body: "", isReusable: nil),
  Answered(name: "no HTTP", bytes: "SSH-2.0-x\r\n\r\n", body: nil),
  Answered(name: "HTTP/2", bytes: "HTTP/2 200\r\n\r\n", body: nil),
  Answered(name: "nothing", bytes: "", body: nil),
  Answered(name: "a cut head", bytes: "HTTP/1.1 200 OK\r\nConte", body: nil),
  Answered(name: "a cut body", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", body: nil),
  Answered(name: "a cut chunk", bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", body: nil),
  Answered(name: "no last chunk", bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", body: nil),
  Answered(name: "a chunk of no size", bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", body: nil),
  Answered(name: "a length that is no number", bytes: "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", body: nil),
  Answered(name: "an endless line", bytes: "HTTP/1.1 200 " + String(repeating: "a", count: 70_000), body: nil),
]

@Suite(.timeLimit(.minutes(1))) struct AnswerReaderTests {
  @Test(arguments: answers)
  func `an answer is read to its end or refused, however it comes in pieces`(_ one: Answered) async throws {
    for piece in [1, 7, 1 << 20] where piece * 1000 > one.bytes.utf8.count {
      var ends: [Int32] = [0, 0]
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      #expect(socketpair(AF_UNIX, type, 0, &ends) == 0)
      let (near, far) = (TCPSocket(ends[0]), TCPSocket(ends[1]))
      let sending = Task {
        var rest = Array(one.bytes.utf8)[...]
        while !rest.isEmpty {
          try await far.write(Array(rest.prefix(piece)), deadline: .max)
          rest = rest.dropFirst(piece)
          await Task.yield()
        }
        far.close()
      }
      let body = try? await read(one, near)
      #expect(body == one.body)
      near.close()
      _ = await sending.result
    }
  }

  private func read(_ one: Answered, _ socket: TCPSocket) async throws -> String {
    var reader = AnswerReader(socket)
    let head = try await reader.head(method: one.method, deadline: .max)
    #expect(one.body == nil || head.status == one.status)
    var body: [UInt8] = []
    while let piece = try await reader.next(deadline: .max) { body += piece }
    if let isReusable = one.isReusable { #expect(reader.isReusable == isReusable) }
    return String(decoding: body, as: UTF8.self)
  }
}
