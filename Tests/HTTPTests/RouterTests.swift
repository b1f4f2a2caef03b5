import HTTP
import Messaging
import Testing

@Suite struct RouterTests {
  private var router: Router {
    var router = Router()
    router.on("GET", "/v1/items") { _ in .text("list") }
    router.on("GET", "/v1/items/{id}") { .text("one \($0.parameters["id"] ?? "")") }
    router.on("POST", "/v1/items") { _ in throw Problem.conflict("taken", "Taken.") }
    router.on("GET", "/v1/broken") { _ in throw CancellationError() }
    router.on("GET", "/v1/{path...}") { .text("rest \($0.parameters["path"] ?? "")") }
    return router
  }

  @Test(arguments: [
    ("GET", "/v1/items", 200, "list", "/v1/items"), ("HEAD", "/v1/items", 200, "list", "/v1/items"),
    ("GET", "/v1/items/a%2Fb", 200, "one a/b", "/v1/items/{id}"),
    ("GET", "/v1/items/a/b", 200, "rest items/a/b", "/v1/{path...}"),
    ("GET", "/v1/x", 200, "rest x", "/v1/{path...}"), ("GET", "/v1", 404, "\"not-found\"", ""),
    ("GET", "/", 404, "\"not-found\"", ""), ("POST", "/v1/items", 409, "\"taken\"", "/v1/items"),
    ("DELETE", "/v1/items", 405, "\"method-not-allowed\"", ""),
    ("GET", "/v1/broken", 500, "\"internal\"", "/v1/broken"),
  ])
  func `a request finds its route`(_ method: String, _ path: String, _ status: Int, _ text: String, _ route: String)
    async
  {
    let response = await router.handle(Request(method: method, path: path))
    #expect(response.status == status)
    #expect(response.bodyText.contains(text))
    #expect(response.route == route)
    if status == 405 { #expect(response.header("allow") == "GET, HEAD, OPTIONS, POST") }
  }

  @Test func `what a path takes is told to OPTIONS and to a method that it does not take`() async {
    var router = router
    router.on("POST", "/v1/x/y") { _ in .text("made") }
    var all = Router()
    all.on("POST", "/v1/commands") { _ in .text("made") }
    all.add(router)
    for (method, path, status, allow) in [
      ("OPTIONS", "/v1/items", 204, "GET, HEAD, OPTIONS, POST"), ("OPTIONS", "/v1/items/7", 204, "GET, HEAD, OPTIONS"),
      ("OPTIONS", "/v1/commands", 204, "OPTIONS, POST"), ("GET", "/v1/commands", 405, "OPTIONS, POST"),
      ("DELETE", "/v1/commands", 405, "OPTIONS, POST"), ("OPTIONS", "/v2", 404, nil),
    ] {
      let response = await all.handle(Request(method: method, path: path))
      #expect(response.status == status, "\(method) \(path)")
      #expect(response.header("allow") == allow, "\(method) \(path)")
    }
    #expect(all.takes(Request(method: "HEAD", path: "/v1/items")))
    #expect(!all.takes(Request(method: "DELETE", path: "/v1/items")))
  }

  @Test func `a router behind a router keeps its own route`() async {
    var outer = Router()
    let inner = router
    outer.on("GET", "/v1/{path...}") { await inner.handle($0) }
    #expect(await outer.handle(Request(path: "/v1/items/7")).route == "/v1/items/{id}")
  }
}
