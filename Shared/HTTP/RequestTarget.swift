/// The target of a request line, taken apart as it was sent.
struct RequestTarget {
  /// Still percent-encoded; begins with `/`.
  let path: String
  /// Decoded.
  let query: [(name: String, value: String)]
  /// Of the absolute form (`GET http://host/ …`); nil otherwise.
  let authority: String?

  /// Throws what is wrong with it: a broken escape, `%00`, bytes that are not UTF-8, control characters, a fragment,
  /// or a form other than origin and absolute.
  init(_ raw: [UInt8]) throws(RequestError) {
    guard !raw.contains(where: { $0 <= 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "#") }) else {
      throw .malformed("the target of the request holds a character that must be escaped")
    }
    var rest = raw[...]
    var authority: String?
    if rest.first != UInt8(ascii: "/") {
      guard rest.count > 7, String(decoding: rest.prefix(7), as: UTF8.self).lowercased() == "http://" else {
        throw .malformed("the target of the request is neither a path nor an http:// URL")
      }
      rest = rest.dropFirst(7)
      let host = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
      authority = String(decoding: host, as: UTF8.self)
      rest = rest.dropFirst(host.count)
    }
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    guard PercentCoding.decode(path, plus: false) != nil else {
      throw .malformed("the path holds an escape that stands for no text")
    }
    self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
    self.authority = authority
    query = try Self.query(rest.dropFirst(path.count + 1))
  }

  private static func query(_ bytes: ArraySlice<UInt8>) throws(RequestError) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      guard let decoded = PercentCoding.decode(name, plus: true),
        let value = PercentCoding.decode(pair.dropFirst(name.count + 1), plus: true)
      else { throw .malformed("the query holds an escape that stands for no text") }
      query.append((decoded, value))
    }
    return query
  }
}
