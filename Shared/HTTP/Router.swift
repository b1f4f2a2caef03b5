import Foundation
import Messaging

/// Finds the handler of a request by method and path. A value: build it, then hand it to a server or call it.
package struct Router: Sendable {
  package typealias Route = @Sendable (Request) async throws -> Response

  private struct Entry: Sendable {
    let method: String
    let pattern: String
    let parts: [Substring]
    let takesRest: Bool
    let route: Route

    init(_ method: String, _ pattern: String, _ route: @escaping Route) {
      (self.method, self.pattern, self.route) = (method, pattern, route)
      parts = pattern.split(separator: "/")
      takesRest = parts.last?.hasSuffix("...}") == true
    }

    func takes(_ asked: String) -> Bool { method == asked || (method == "GET" && asked == "HEAD") }
  }
  private var entries: [Entry] = []
  /// Where an error that is no `Problem` goes before the client is told 500 without its text.
  private let unexpected: @Sendable (any Error, Request) -> Void

  package init(unexpected: @escaping @Sendable (any Error, Request) -> Void = { _, _ in }) {
    self.unexpected = unexpected
  }

  /// Adds a route. `{name}` in the pattern takes one part of the path; `{name...}` at its end takes one or more. Earlier
  /// routes come first.
  package mutating func on(_ method: String, _ pattern: String, _ route: @escaping Route) {
    entries.append(Entry(method, pattern, route))
  }

  /// Adds the routes of another router.
  package mutating func add(_ other: Router) { entries += other.entries }

  /// Answers: 404 for an unknown path, 405 with `Allow` for an unknown method, 204 with it for `OPTIONS`, a problem for
  /// what a handler throws.
  package func handle(_ request: Request) async -> Response {
    var route = ""
    var response = await answer(request, &route)
    // A handler that asked another router keeps the route that answered.
    if response.route.isEmpty { response.route = route }
    return response
  }

  /// Whether a route takes the request's method at its path.
  package func takes(_ request: Request) -> Bool {
    if case .route = find(request) { true } else { false }
  }

  private enum Found {
    case route(Entry, [String: String])
    /// The methods that routes take there; none where there is nothing at the path.
    case methods(Set<String>)
  }

  /// A route that takes the rest of a path stands for the paths that no route before it names.
  private func find(_ request: Request) -> Found {
    let parts = request.path.split(separator: "/").map { part in
      part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
    }
    var methods: Set<String> = []
    for entry in entries where methods.isEmpty || !entry.takesRest {
      guard let parameters = Self.match(entry, parts) else { continue }
      if entry.takes(request.method) { return .route(entry, parameters) }
      methods.insert(entry.method)
    }
    return .methods(methods)
  }

  private func answer(_ request: Request, _ route: inout String) async -> Response {
    switch find(request) {
    case .route(let entry, let parameters): await ask(entry, parameters, request, &route)
    case .methods([]): .problem(Problem(code: "not-found", status: 404, detail: "There is nothing at \(request.path)."))
    case .methods(let methods): Self.notTaken(request, methods)
    }
  }

  /// What is taken there, to whom asks for that, and to whom asked for something else.
  private static func notTaken(_ request: Request, _ methods: Set<String>) -> Response {
    var response =
      request.method == "OPTIONS"
      ? Response(status: 204)
      : .problem(Problem(code: "method-not-allowed", status: 405, detail: "\(request.method) is not taken here."))
    let all = methods.union(methods.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"])
    response.headers.append(("allow", all.sorted().joined(separator: ", ")))
    return response
  }

  private func ask(
    _ entry: Entry, _ parameters: [String: String], _ request: Request, _ route: inout String
  ) async -> Response {
    var request = request
    request.parameters = parameters
    request.route = entry.pattern
    route = entry.pattern
    do {
      return try await entry.route(request)
    } catch let problem as Problem {
      return .problem(problem)
    } catch {
      unexpected(error, request)
      return .problem(
        Problem(code: "internal", status: 500, detail: "The request failed; the log of the process says why."))
    }
  }

  private static func match(_ entry: Entry, _ parts: [String]) -> [String: String]? {
    let pattern = entry.parts
    guard entry.takesRest ? parts.count >= pattern.count : parts.count == pattern.count else { return nil }
    var parameters: [String: String] = [:]
    for (expected, part) in zip(pattern, parts) {
      if expected.hasSuffix("...}") {
        parameters[String(expected.dropFirst().dropLast(4))] =
          parts[(pattern.count - 1)...].joined(separator: "/")
      } else if expected.hasPrefix("{") {
        parameters[String(expected.dropFirst().dropLast())] = part
      } else if expected != part {
        return nil
      }
    }
    return parameters
  }
}
