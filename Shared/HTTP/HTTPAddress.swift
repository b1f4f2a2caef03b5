/// `http://host[:port][/path]`, taken apart.
struct HTTPAddress: CustomStringConvertible {
  var host: String
  var port: Int
  /// Without a trailing slash; empty for the root.
  var path: String

  var description: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)" }

  /// Nil for anything else: another scheme, user information, a query.
  init?(_ text: String) {
    guard text.lowercased().hasPrefix("http://") else { return nil }
    let rest = text.dropFirst(7)
    let authority = rest.prefix { $0 != "/" }
    path = String(rest.dropFirst(authority.count))
    while path.hasSuffix("/") { path.removeLast() }
    guard !text.contains(where: { "@?# ".contains($0) || $0.isNewline }),
      let (host, port) = HTTPAddress.split(String(authority)), !host.isEmpty
    else { return nil }
    self.host = host
    self.port = port ?? 80
  }

  /// The host (without the brackets of IPv6) and the port of an authority or a `Host` header; nil where it is neither.
  static func split(_ authority: String) -> (host: String, port: Int?)? {
    var host = Substring(authority)
    var port: Substring?
    if host.first == "[" {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let rest = host[host.index(after: end)...]
      host = host[host.index(after: host.startIndex)..<end]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = host.firstIndex(of: ":") {
      port = host[host.index(after: colon)...]
      host = host[..<colon]
    }
    guard let port, !port.isEmpty else { return (String(host), nil) }
    guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int(port), number <= 65535 else {
      return nil
    }
    return (String(host), number)
  }
}
