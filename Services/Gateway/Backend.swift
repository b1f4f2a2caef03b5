package import HTTP
import Messaging

/// A part of Daybook that answers reads over HTTP: the projection or the audit, in a process of its own.
package enum Backend {
  /// Passes requests on to `url`. What does not answer is a problem that names it: 503 where it cannot be reached, 504
  /// where it takes too long. Throws for an address that is no http:// URL.
  package static func remote(_ name: String, url: String, timeout: Duration = .seconds(30)) throws -> Handler {
    let client = try HTTPClient(base: url)
    return { request in
      var forwarded = request
      forwarded.headers = request.headers.filter { passed.contains($0.key) }
      let isStream = request.path == "/v1/events"
      // The whole is asked for, or its length would not be known; this server leaves the body out.
      if request.method == "HEAD", !isStream { forwarded.method = "GET" }
      do throws(HTTPClientError) {
        let response =
          isStream
          ? try await client.stream(forwarded, timeout: timeout)
          : try await client.send(forwarded, timeout: timeout)
        return Response(
          status: response.status, headers: response.headers.filter { !ownHeaders.contains($0.name) },
          body: response.body)
      } catch {
        return .problem(problem(name, error))
      }
    }
  }

  private static let passed: Set = ["accept", "x-correlation-id"]
  /// What belongs to one connection, or is written anew.
  private static let ownHeaders: Set = ["connection", "keep-alive", "transfer-encoding", "content-length", "date"]

  private static func problem(_ name: String, _ error: HTTPClientError) -> Problem {
    if case .timedOut = error {
      return Problem(code: "timed-out", status: 504, detail: "The \(name) takes too long: \(error).")
    }
    return Problem(code: "unavailable", status: 503, detail: "The \(name) cannot be asked: \(error).")
  }
}
