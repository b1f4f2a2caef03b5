import Foundation
import Messaging

/// Finds the handler of a request by method and path. A value: build it, then hand it to a server or call it.
package struct Router: Sendable {
  package typealias Route = @Sendable (Request) async throws -> Response

  private struct Entry: Sendable {
    let method: String
    let pattern: String
    let parts: [Substring]
    let route: Route
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
    entries.append(
      Entry(method: method, pattern: pattern, parts: pattern.split(separator: "/"), route: route))
  }

  /// Adds the routes of another router.
  package mutating func add(_ other: Router) { entries += other.entries }

  /// Answers: 404 for an unknown path, 405 with `Allow` for an unknown method, a problem for what a handler throws.
  package func handle(_ request: Request) async -> Response {
    var route = ""
    var response = await answer(request, &route)
    // A handler that asked another router keeps the route that answered.
    if response.route.isEmpty { response.route = route }
    return response
  }

  private func answer(_ request: Request, _ route: inout String) async -> Response {
    let parts = request.path.split(separator: "/").map { part in
      part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
    }
    var allowed: [String] = []
    for entry in entries {
      guard let parameters = Self.match(entry.parts, parts) else { continue }
      guard entry.method == request.method || (entry.method == "GET" && request.method == "HEAD") else {
        allowed.append(entry.method)
        continue
      }
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
    if !allowed.isEmpty {
      var response = Response.problem(
        Problem(code: "method-not-allowed", status: 405, detail: "\(request.method) is not taken here."))
      response.headers.append(("allow", Set(allowed).sorted().joined(separator: ", ")))
      return response
    }
    return .problem(Problem(code: "not-found", status: 404, detail: "There is nothing at \(request.path)."))
  }

  private static func match(_ pattern: [Substring], _ parts: [String]) -> [String: String]? {
    let takesRest = pattern.last?.hasSuffix("...}") == true
    guard takesRest ? parts.count >= pattern.count : parts.count == pattern.count else { return nil }
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
