import HTTP
import Messaging
import Testing

@testable import CommandLineClient

@Suite(.timeLimit(.minutes(1))) struct ReadTests {
  /// 120 items in pages.
  private static let pages: @Sendable (Int, Request) -> Response = { _, request in
    let limit = Int(request.values("limit").first ?? "") ?? 10
    let start = Int(request.values("cursor").first ?? "") ?? 0
    let end = min(120, start + min(limit, 50))
    let rows = (start..<end).map { number -> JSON in
      [
        "id": .string("0190c2a4-0000-7000-8000-\(String(repeating: "0", count: 12 - String(number).count))\(number)"),
        "title": .string("Item \(number)"), "isCompleted": false, "tags": [], "project": nil, "dueOn": nil,
      ]
    }
    return .json([
      "items": .array(rows), "next": end < 120 ? .string(String(end)) : nil, "count": 120, "asOf": ["tasks/3": 9],
    ])
  }

  @Test func `a table says how many rows it left out, and --all leaves out none`() async throws {
    try await FakeServer.serving(Self.pages) { server in
      let cut = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await cut.run(["item", "list"]) == 0)
      #expect(cut.output.hasSuffix("50 of 120 items; --all shows all\n"))
      let all = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await all.run(["item", "list", "--all"]) == 0)
      #expect(all.output.split(separator: "\n").count == 121)
    }
  }

  @Test func `a document has the rows of all pages, and -q and --ndjson one line for each`() async throws {
    try await FakeServer.serving(Self.pages) { server in
      let document = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await document.run(["item", "list", "--json"]) == 0)
      let json = API.json(Array(document.output.utf8))
      #expect(json["items"]?.array?.count == 120)
      #expect(json["next"] == JSON.null)
      #expect(json["count"] == 120)
      #expect(json.object?.keys == ["items", "next", "count", "asOf"])
      for mode in ["--ndjson", "-q"] {
        let lines = Capture(environment: ["DAYBOOK_SERVER": server.url])
        #expect(await lines.run(["item", "list", mode, "--limit", "70"]) == 0)
        #expect(lines.output.split(separator: "\n").count == 70)
      }
    }
  }

  @Test func `filters are sent as they are, dates in the zone`() async throws {
    try await FakeServer.serving({ _, _ in .json(["items": [], "count": 0, "next": nil]) }) { server in
      let capture = Capture(
        environment: ["DAYBOOK_SERVER": server.url, "DAYBOOK_ZONE": "UTC+14"],
        now: { Timestamp(milliseconds: 1_779_705_000_000) })
      let words = [
        "item", "list", "--project", "none", "--tag", "a", "--tag", "b", "--open", "--due-before", "today", "--q",
        "100%",
        "--sort", "-dueOn,title",
      ]
      #expect(await capture.run(words) == 0)
      let query = try #require(server.requests.first).query.map { "\($0.name)=\($0.value)" }
      #expect(
        query == [
          "project=none", "tag=a", "tag=b", "done=false", "due-before=2026-05-26", "q=100%", "sort=-dueOn,title",
          "limit=50", "workspace=main",
        ])
      #expect(capture.error == "No items.\n")
      #expect(capture.output.isEmpty)
    }
  }

  @Test func `a process that is not ready says which part of it is not`() async throws {
    let one: JSON = [
      "ready": false,
      "components": [["name": "tasks/0", "ready": true], ["name": "tasks/1", "ready": false, "detail": "Fenced."]],
    ]
    try await FakeServer.serving({ number, _ in
      .json(number == 1 ? one : ["ready": true], status: number == 1 ? 503 : 200)
    }
    ) { server in
      let words = ["status", "--ready", "--server", server.url]
      let waiting = Capture()
      #expect(await waiting.run(words) == 1)
      #expect(waiting.output == "\(server.url) is not ready\n  tasks/1: Fenced.\n")
      let ready = Capture()
      #expect(await ready.run(words) == 0)
      #expect(ready.output == "\(server.url) is ready\n")
      #expect(server.requests.map(\.path) == ["/readyz", "/readyz"])
    }
    #expect(await Capture().run(["status", "--ready", "--server", "http://127.0.0.1:1"]) == 3)
  }

  @Test func `what is refused and what cannot be reached differ in status`() async throws {
    let answer: @Sendable (Int, Request) -> Response = { number, _ in
      number == 1
        ? .problem(.invalid("sort", "there is no field colour"))
        : .problem(Problem(code: "behind", status: 504, detail: "projection tasks/3 is 9 records behind."))
    }
    try await FakeServer.serving(answer) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["item", "list", "--sort", "colour"]) == 1)
      #expect(await capture.run(["item", "list"]) == 3)
      #expect(capture.error.contains("sort: there is no field colour"))
      #expect(capture.error.contains("projection tasks/3 is 9 records behind."))
    }
  }
}
