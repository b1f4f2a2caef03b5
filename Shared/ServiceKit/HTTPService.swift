package import HTTP
import Messaging
import Synchronization

/// Serves a router over HTTP for as long as it runs. The port is bound in `prepare`, so a taken one stops the process
/// before anything else has begun.
package final class HTTPService: Service {
  package let name: String
  private let host: String
  private let wantedPort: Int
  private let limits: Limits
  private let metrics: Metrics
  private let logger: Logger
  private let handler: Handler
  private let server = Mutex<Server?>(nil)

  /// `handler` gets every request that is well formed; wrap it in a `BrowserGuard` where people's browsers reach it.
  package init(
    _ name: String, host: String, port: Int, limits: Limits = Limits(), metrics: Metrics, logger: Logger,
    handler: @escaping Handler
  ) {
    self.name = "\(name) http"
    self.host = host
    wantedPort = port
    self.limits = limits
    self.metrics = metrics
    self.logger = logger
    self.handler = handler
  }

  /// The port that is bound; nil before `prepare` and after the stop.
  package var port: Int? { server.withLock { $0?.port } }

  /// `http://127.0.0.1:8080`; nil before `prepare` and after the stop.
  package var url: String? { port.map { "http://\(host.contains(":") ? "[\(host)]" : host):\($0)" } }

  package func prepare() async throws {
    let metrics = metrics
    do {
      let made = try Server(
        host: host, port: wantedPort, limits: limits,
        observe: { route, method, status, seconds in
          let labels = [("route", route.isEmpty ? "none" : route), ("method", method), ("status", String(status))]
          metrics.observe(
            "daybook_http_request_seconds", "HTTP requests, from their end to their answer's.", labels, seconds)
        }, handler: handler)
      server.withLock { $0 = made }
    } catch {
      throw StartupError(error.description)
    }
    logger.log(.info, "listening", ["url": JSON(url)])
  }

  package func run() async throws {
    await untilCancelled()
    let server = server.withLock { server in
      defer { server = nil }
      return server
    }
    // In a task of its own: this one is cancelled, and in it nothing would wait for the answers that are under way.
    await Task { await server?.stop(patience: .seconds(2)) }.value
  }
}

/// Returns when the calling task is cancelled.
package func untilCancelled() async {
  let (never, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in never {}
  continuation.finish()
}
