package import Messaging

/// An HTTP request as handlers see it: complete, within the limits, percent-decoded.
package struct Request: Sendable {
  package var method: String
  /// The path without the query, as it was sent (still percent-encoded).
  package var path: String
  /// Query parameters in order, decoded; names may repeat.
  package var query: [(name: String, value: String)]
  /// Header names in lower case.
  package var headers: [String: String]
  package var body: [UInt8]
  /// The path parameters of the route, decoded: `{id}`.
  package var parameters: [String: String] = [:]
  /// The pattern of the route that took the request: the label of its metrics. Set by the router.
  package var route = ""

  package init(
    method: String = "GET", path: String, query: [(name: String, value: String)] = [],
    headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The values of a query parameter, in order.
  package func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

  /// The value of a query parameter that may stand once; throws `invalid` where it stands twice.
  package func value(_ name: String) throws(Problem) -> String? {
    let all = values(name)
    guard all.count <= 1 else { throw .invalid(name, "stands more than once") }
    return all.first
  }

  /// Throws `invalid` for a parameter that is not among these: a misspelt filter must not silently match everything.
  package func allow(_ names: Set<String>) throws(Problem) {
    let wrong = query.filter { !names.contains($0.name) }
    guard wrong.isEmpty else {
      throw .invalid(wrong.map { .init(field: $0.name, message: "is not a parameter here") })
    }
  }
}
