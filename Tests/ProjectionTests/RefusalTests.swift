import Messaging
import Testing

@Suite struct RefusalTests {
  /// A request, the status, and the field or code that the problem names.
  @Test(
    arguments: [
      ("items?projct=x", "422 projct"), ("items?sort=tilte", "422 sort"), ("items?sort=title,title", "422 sort"),
      ("items?sort=", "422 sort"), ("items?sort=--title", "422 sort"), ("items?limit=0", "422 limit"),
      ("items?limit=1001", "422 limit"), ("items?limit=ten", "422 limit"), ("items?limit=1&limit=2", "422 limit"),
      ("items?done=yes", "422 done"), ("items?due-before=25.5.2026", "422 due-before"),
      ("items?due-after=2026-02-30", "422 due-after"), ("items?workspace=Main", "422 workspace"),
      ("items?cursor=x", "422 cursor"), ("items?cursor=W10", "422 cursor"), ("items?after=tasks", "422 after"),
      ("items?after=cooking/1/2", "422 after"), ("items?id=xyz", "422 id"), ("items?q=a&q=b", "422 q"),
      ("items?project=a&project=b", "422 project"), ("books?rating=6", "422 rating"), ("books?done=true", "422 done"),
      ("visits?from=2026-05-25", "422 from"), ("visits?name=x", "422 name"), ("badges?free=1", "422 free"),
      ("search", "422 q"), ("search?q=a&kind=cat", "422 kind"), ("search?q=a&kind=visit", "422 kind"),
      ("search?q=a&sort=title", "422 sort"),
      ("items/123", "422 id"), ("items/123?q=a", "422 q"), ("workspaces?q=a", "422 q"), ("status?q=a", "422 q"),
      ("items/00000000-0000-0000-0000-000000000000", "404 not-found"), ("cats", "404 not-found"),
      ("items?after=tasks/0/99999", "504 behind"), ("items?after=tasks/9/1", "504 behind"),
    ] as [(String, String)])
  func `what is wrong is named`(path: String, expected: String) async throws {
    let model = try await ReadModelFixture()
    let response = await model.response(path)
    let problem = try response.document
    let field = problem["errors"]?.array?.first?["field"]?.string
    #expect("\(response.status) \(field ?? problem["code"]?.string ?? "")" == expected, "\(problem.text)")
    #expect(response.headers.contains { $0.value == "application/problem+json" })
  }

  @Test func `a cursor of another query, sort or workspace is refused`() async throws {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.item.add.v1", (0..<3).map { ["title": .string("\($0)")] })
    let next = try #require(try await model.get("items?limit=1")["next"]?.string)
    #expect(try await model.get("items?limit=2&cursor=\(next)")["items"]?.array?.count == 2)
    for path in ["items?sort=title", "items?q=1", "items?done=false", "items?workspace=other", "tags", "search?q=1"] {
      let response = await model.response("\(path)\(path.contains("?") ? "&" : "?")cursor=\(next)")
      #expect(response.status == 422, "\(path)")
      #expect(try response.document["errors"]?.array?.first?["field"] == "cursor")
    }
  }

  @Test func `an entity of another kind or workspace is not found`() async throws {
    let model = try await ReadModelFixture()
    let item = try model.send("tasks.item.add.v1", ["title": "x"])
    #expect(await model.response("tags/\(item)").status == 404)
    #expect(await model.response("items/\(item)?workspace=other").status == 404)
    #expect(await model.response("items/\(item.description.uppercased())").status == 200)
  }

  @Test func `receipts of services that an answer does not depend on are not waited for`() async throws {
    let model = try await ReadModelFixture()
    #expect(await model.response("items?after=library/0/99999&after=none").status == 200)
    #expect(await model.response("search?q=x&after=library/0/99999").status == 504)
  }
}
