import HTTP
import Messaging
import Testing

@testable import CommandLineClient

@Suite(.timeLimit(.minutes(1))) struct WriteTests {
  @Test func `a write carries an id made by the client, the workspace and the actor`() async throws {
    try await FakeServer.serving({ _, request in .accepted(request) }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      let words = [
        "item", "add", "Buy milk", "--project", "House chores", "--tag", "urgent", "--due", "2026-05-25", "-w", "home",
        "--actor", "ada",
      ]
      #expect(await capture.run(words) == 0)
      let body = try #require(server.bodies.first)
      #expect(body["id"]?.string.flatMap(MessageID.init) != nil)
      #expect(body["type"] == "tasks.item.add.v1")
      #expect(body["workspace"] == "home")
      #expect(body["actor"] == "ada")
      #expect(
        body["data"] == [
          "title": "Buy milk", "project": ["name": "House chores"], "tags": ["urgent"], "dueOn": "2026-05-25",
        ])
      #expect(capture.output == "Added item Buy milk  a1b2c3d4  tasks/3/42\n")
    }
  }

  @Test func `a 503 and a 202 are tried again with the same id`() async throws {
    let answer: @Sendable (Int, Request) -> Response = { number, request in
      switch number {
      case 1: .problem(Problem(code: "starting", status: 503, detail: "It is starting."))
      case 2: .json(["status": "pending"], status: 202)
      default: .accepted(request)
      }
    }
    try await FakeServer.serving(answer) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["tag", "create", "urgent", "-q"]) == 0)
      #expect(capture.output == "0190c2a4-0000-7000-8000-0000a1b2c3d4\n")
      #expect(server.bodies.count == 3)
      #expect(Set(server.bodies.compactMap { $0["id"]?.string }).count == 1)
    }
  }

  @Test func `what is not decided in time ends with status 3 and the command's id`() async throws {
    try await FakeServer.serving({ _, _ in .json(["status": "pending"], status: 202) }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      let id = "00000000-0000-4000-8000-0000000000aa"
      #expect(await capture.run(["tag", "create", "urgent", "--wait", "0.1", "--command-id", id]) == 3)
      #expect(capture.error.contains("--command-id \(id)"))
      #expect(capture.output.isEmpty)
    }
  }

  @Test func `a refusal is one sentence on standard error, the decision on standard output with --json`() async throws {
    let problem = Problem.conflict("tag-name-taken", "The tag \"urgent\" is there.", ["existing": "x"])
    try await FakeServer.serving({ _, _ in .problem(problem) }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["tag", "create", "urgent", "--json"]) == 1)
      #expect(capture.error == "daybook: The tag \"urgent\" is there.\n")
      #expect(API.json(Array(capture.output.utf8))["code"] == "tag-name-taken")
    }
  }

  @Test func `an ambiguous name lists what it could be`() async throws {
    let candidates: JSON = [
      ["id": "0190c2a4-0000-7000-8000-000000000001", "name": "Ada Lovelace"],
      ["id": "0190c2a4-0000-7000-8000-000000000002", "name": "Byron Lovelace"],
    ]
    let problem = Problem.conflict(
      "ambiguous", "2 visitors are called \"Lovelace\".", ["count": 2, "candidates": candidates])
    try await FakeServer.serving({ _, _ in .problem(problem) }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["visit", "record", "Lovelace"]) == 1)
      #expect(capture.error.contains("Ada Lovelace") && capture.error.contains("Byron Lovelace"))
      #expect(capture.error.contains("0190c2a4-0000-7000-8000-000000000001"))
    }
  }

  @Test func `several entities, and lines of standard input, are each sent and reported`() async throws {
    let answer: @Sendable (Int, Request) -> Response = { number, request in
      number == 2 ? .problem(.notFound("item", "\"b\"")) : .accepted(request)
    }
    try await FakeServer.serving(answer) { server in
      let capture = Capture(input: ["two", "", "three"], environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["item", "complete", "one", "-"]) == 1)
      #expect(server.bodies.compactMap { $0["data"]?["item"]?["name"]?.string } == ["one", "two", "three"])
      #expect(capture.output.split(separator: "\n").count == 2)
      #expect(capture.error == "daybook: two: There is no item \"b\".\n")
    }
  }

  @Test(arguments: [
    (["item", "edit", "x", "--no-due", "--no-note"], #"{"item":{"name":"x"},"note":null,"dueOn":null}"#),
    (["item", "move", "x", "--no-project"], #"{"item":{"name":"x"},"project":null}"#),
    (["item", "rename", "x", "y"], #"{"item":{"name":"x"},"title":"y"}"#),
    (["item", "delete-completed", "--any"], #"{"project":"any"}"#),
    (["item", "delete-completed", "--no-project"], #"{"project":null}"#),
    (["project", "delete", "x", "--items", "keep"], #"{"project":{"name":"x"},"items":"keep"}"#),
    (
      ["project", "edit", "x", "--no-place", "--ends", "2026-05-25"],
      #"{"project":{"name":"x"},"place":null,"endsOn":"2026-05-25"}"#
    ),
    (["tag", "assign", "t", "x"], #"{"tag":{"name":"t"},"item":{"name":"x"}}"#),
    (["tag", "create", "t", "--ensure"], #"{"name":"t","ensure":true}"#),
    (["book", "rate", "x", "5"], #"{"book":{"name":"x"},"rating":5}"#),
    (["book", "rate", "x", "--no-rating", "--review", "r"], #"{"book":{"name":"x"},"review":"r","rating":null}"#),
    (["book", "read", "x", "--on", "2026-05-25"], #"{"book":{"name":"x"},"readOn":"2026-05-25"}"#),
    (["book", "read", "x", "--no-on"], #"{"book":{"name":"x"},"readOn":null}"#),
    (
      ["book", "edit", "x", "--author", "a", "--author", "b", "--no-genre"],
      #"{"book":{"name":"x"},"authors":["a","b"],"genre":null}"#
    ),
    (["author", "remove", "x", "--detach"], #"{"author":{"name":"x"},"detach":true}"#),
    (["visitor", "register", "Ada", "Lovelace"], #"{"firstName":"Ada","lastName":"Lovelace"}"#),
    (["visitor", "register", "Ada King Lovelace"], #"{"firstName":"Ada King","lastName":"Lovelace"}"#),
    (["visitor", "register", "Lovelace, Ada"], #"{"firstName":"Ada","lastName":"Lovelace"}"#),
    (["visitor", "register", "--last", "Lovelace"], #"{"lastName":"Lovelace"}"#),
    (["visitor", "rename", "x", "Ada", "King"], #"{"visitor":{"name":"x"},"firstName":"Ada","lastName":"King"}"#),
    (
      ["visit", "record", "x", "--at", "2026-05-25T08:30:00Z", "--again"],
      #"{"visitor":{"name":"x"},"arrivedAt":"2026-05-25T08:30:00.000Z","again":true}"#
    ),
    (["visit", "end", "Lovelace"], #"{"visitor":{"name":"Lovelace"}}"#),
    (
      ["visit", "reopen", "00000000-0000-4000-8000-000000000001"],
      #"{"visit":"00000000-0000-4000-8000-000000000001","departedAt":null}"#
    ),
    (
      ["badge", "issue", "B-1", "Ada", "--transfer"],
      #"{"badge":{"name":"B-1"},"visitor":{"name":"Ada"},"transfer":true}"#
    ),
    (["badge", "return", "--visitor", "Ada"], #"{"visitor":{"name":"Ada"}}"#),
    (
      ["item", "edit", "x", "--title", "y", "--if-sequence", "7"], #"{"item":{"name":"x"},"title":"y","ifSequence":7}"#
    ),
    (["send", "tasks.item.add", "title=x y", "tags:=[\"a\"]"], #"{"title":"x y","tags":["a"]}"#),
    (["send", "tasks.item.add.v1", "--data", "{\"title\":\"x\"}"], #"{"title":"x"}"#),
  ])
  func `the data of a command is what was asked`(words: [String], data: String) async throws {
    try await FakeServer.serving({ _, request in
      request.method == "GET" ? .json(["items": [], "count": 0]) : .accepted(request)
    }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url, "DAYBOOK_ZONE": "UTC"])
      #expect(await capture.run(words) == 0, "\(capture.error)")
      let sent = server.requests.filter { $0.method == "POST" }.map { API.json($0.body) }
      #expect(sent.first?["data"]?.text == data)
    }
  }

  @Test func `an id of one entity cannot be for several`() async throws {
    try await FakeServer.serving({ _, request in .accepted(request) }) { server in
      let capture = Capture(environment: ["DAYBOOK_SERVER": server.url])
      let id = "00000000-0000-4000-8000-000000000001"
      #expect(await capture.run(["item", "add", "a", "b", "--id", id]) == 2)
      #expect(server.requests.isEmpty)
    }
  }
}
