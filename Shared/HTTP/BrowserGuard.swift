package import Messaging

/// Keeps the web pages that a person visits away from a server on the person's own machine: they can make a browser
/// send requests there. No CORS header is ever sent, so no page reads an answer; writes and foreign host names are
/// refused here.
package struct BrowserGuard: Sendable {
  /// Whether the `Host` must be this machine's own name. Against DNS rebinding: a page whose name was turned to
  /// 127.0.0.1 sends its own name there. For servers that only this machine reaches and that need no token.
  package var checksHost: Bool

  package init(checksHost: Bool) { self.checksHost = checksHost }

  /// Why the request is refused; nil where it is not. `isTaken`: whether there is a route for it; one that there is none
  /// for needs no body that could be read.
  package func refusal(_ request: Request, isTaken: @autoclosure () -> Bool = true) -> Problem? {
    let host = request.headers["host"]
    if checksHost, let host, !Self.isLoopback(host) {
      return Problem(
        code: "misdirected", status: 421,
        detail: "This server is only for this machine; ask it as localhost or 127.0.0.1, not as \(host).")
    }
    if request.method == "GET" || request.method == "HEAD" || request.method == "OPTIONS" { return nil }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" { return Self.crossSite }
    if let origin = request.headers["origin"] {
      guard let address = HTTPAddress(origin), address.path.isEmpty, let host,
        let own = HTTPAddress("http://" + host), own.host.lowercased() == address.host.lowercased(),
        own.port == address.port
      else { return Self.crossSite }
    }
    guard Self.isJSON(request.headers["content-type"]) || !isTaken() else {
      return Problem(
        code: "media-type", status: 415,
        detail: "The body must be JSON, sent with the header content-type: application/json.")
    }
    return nil
  }

  /// The router behind this guard.
  package func wrap(_ router: Router) -> Handler {
    { request in
      if let problem = refusal(request, isTaken: router.takes(request)) { return .problem(problem) }
      return await router.handle(request)
    }
  }

  private static let crossSite = Problem(
    code: "cross-site", status: 403, detail: "A page of another site may not write here.")

  /// `localhost`, a name below it, 127.x.x.x or ::1, with or without a port.
  package static func isLoopback(_ host: String) -> Bool {
    if host == "127.0.0.1" || host == "localhost" || isNumbered(host) { return true }
    // A bare IPv6 address, as in a setting.
    let isBare = host.utf8.count { $0 == UInt8(ascii: ":") } > 1 && !host.hasPrefix("[")
    guard var name = HTTPAddress.split(isBare ? "[\(host)]" : host)?.host.lowercased() else { return false }
    if name.hasSuffix(".") { name.removeLast() }
    if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether it is 127.0.0.1 and a port: what nearly every request says, told without taking it apart.
  private static func isNumbered(_ host: String) -> Bool {
    guard host.hasPrefix("127.0.0.1:") else { return false }
    let port = host.utf8.dropFirst(10)
    return (1...5).contains(port.count) && port.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      && port.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65535
  }

  private static func isJSON(_ type: String?) -> Bool {
    if type == "application/json" { return true }
    guard let type = type?.lowercased() else { return false }
    let parts = type.split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
    return parts[0] == "application/json"
      && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" || $0.isEmpty }
  }
}
