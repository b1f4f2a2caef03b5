/// Why no answer came. `description` is one plain sentence that names the address.
package enum HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Nobody listens there.
  case refused(String)
  /// No connection within the time, or no way to the host.
  case unreachable(String, why: String)
  /// Connected, but no (whole) answer within the time. The request may have been carried out.
  case timedOut(String)
  /// The connection broke, or what came is no HTTP. The request may have been carried out.
  case broken(String, why: String)
  /// The address is no `http://` URL.
  case badURL(String)
  case cancelled

  package var description: String {
    switch self {
    case .refused(let url): "nothing listens at \(url)"
    case .unreachable(let url, let why): "\(url) cannot be reached: \(why)"
    case .timedOut(let url): "\(url) did not answer in time"
    case .broken(let url, let why): "the connection to \(url) broke: \(why)"
    case .badURL(let url): "\(url) is not an http:// URL"
    case .cancelled: "the request was cancelled"
    }
  }

  /// Whether the request surely was not carried out.
  package var isUnsent: Bool {
    switch self {
    case .refused, .unreachable, .badURL: true
    case .timedOut, .broken, .cancelled: false
    }
  }
}
