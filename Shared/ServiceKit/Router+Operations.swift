package import HTTP
import Messaging

extension Router {
  /// What every process serves: `/healthz` (200 while it runs), `/readyz` (200 or 503, with each component) and
  /// `/metrics` (Prometheus text).
  package static func operations(_ health: Health, _ metrics: Metrics) -> Router {
    var router = Router.health(health)
    router.on("GET", "/metrics") { _ in
      var response = Response.text(metrics.render())
      response.headers = [("content-type", "text/plain; version=0.0.4; charset=utf-8")]
      return response
    }
    return router
  }

  /// `/healthz` and `/readyz` alone.
  static func health(_ health: Health) -> Router {
    var router = Router()
    router.on("GET", "/healthz") { _ in .json(["status": "running"]) }
    router.on("GET", "/readyz") { _ in
      await health.probe()
      return .json(health.json, status: health.isReady ? 200 : 503)
    }
    return router
  }
}
