import HTTP
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPServiceTests {
  @Test func `the operations routes tell health, readiness and metrics`() async throws {
    let health = Health()
    let metrics = Metrics()
    let router = Router.operations(health, metrics)
    func get(_ path: String) async -> (status: Int, text: String, type: String?) {
      let response = await router.handle(Request(path: path))
      guard case .bytes(let bytes) = response.body else { return (response.status, "", nil) }
      return (response.status, String(decoding: bytes, as: UTF8.self), response.header("content-type"))
    }
    #expect(await get("/healthz").status == 200)
    #expect(await get("/readyz").status == 200)
    health.set("tasks/3", .notReady("was taken over"))
    let unready = await get("/readyz")
    #expect(unready.status == 503)
    #expect(
      unready.text
        == #"{"ready":false,"components":[{"name":"tasks/3","ready":false,"detail":"was taken over"}]}"#)
    #expect(await get("/healthz").status == 200)
    metrics.count("daybook_x_total", "X.", [("topic", "a\"b")])
    let text = await get("/metrics")
    #expect(text.type == "text/plain; version=0.0.4; charset=utf-8")
    #expect(
      text.text == "# HELP daybook_x_total X.\n# TYPE daybook_x_total counter\ndaybook_x_total{topic=\"a\\\"b\"} 1\n")
  }

  @Test func `it serves from its preparation to its end, and measures by route`() async throws {
    let metrics = Metrics()
    var router = Router()
    router.on("GET", "/v1/items/{id}") { .text($0.parameters["id"] ?? "") }
    let service = HTTPService(
      "test", host: "127.0.0.1", port: 0, metrics: metrics, logger: .silent, handler: router.handle)
    try await service.prepare()
    let url = try #require(service.url)
    let client = try HTTPClient(base: url)
    #expect(try await client.send(Request(path: "/v1/items/7")).status == 200)
    let task = Task { try await service.run() }
    task.cancel()
    try await task.value
    #expect(service.port == nil)
    await #expect(throws: HTTPClientError.self) { try await HTTPClient(base: url).send(Request(path: "/")) }
    #expect(
      metrics.render().contains(
        #"daybook_http_request_seconds_count{route="/v1/items/{id}",method="GET",status="200"} 1"#))
  }

  @Test func `a taken port is one sentence that says what to do`() async throws {
    let server = try Server { _ in .text("") }
    let service = HTTPService(
      "test", host: "127.0.0.1", port: server.port, metrics: Metrics(), logger: .silent, handler: { _ in .text("") })
    let error = await #expect(throws: StartupError.self) { try await service.prepare() }
    #expect(
      error?.description
        == "port \(server.port) of 127.0.0.1 is taken by another process; stop it or choose another with --port")
    await server.stop()
  }
}
