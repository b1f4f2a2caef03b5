import AuditService
import HTTP
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AuditHistoryTests {
  @Test func `an edit and a delete show before and after, actor, time, the causing command and the parent`()
    async throws
  {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    let (item, project, edit, delete) = (life.item, life.project, life.edit, life.delete)
    try await scene.run { audit in
      let (status, answer) = await audit.get("/v1/history", [("entity", "Buy milk"), ("type", "tasks.item.*")])
      #expect(status == 200)
      let items = try #require(answer["items"]?.array)
      #expect(
        items.map { $0["type"]?.string } == ["tasks.item.added.v1", "tasks.item.edited.v1", "tasks.item.deleted.v1"])
      let edited = items[1]
      #expect(edited["before"] == ["title": "Buy milk"])
      #expect(edited["after"] == ["title": "Buy oat milk"])
      #expect(edited["actor"] == "grace")
      #expect(edited["command"] == JSON(edit))
      #expect(edited["entity"] == JSON(item))
      #expect(edited["subject"] == .string("item/\(item)"))
      #expect(edited["receipt"] == "tasks/3/7")
      #expect(edited["time"]?.string.flatMap(Timestamp.init) != nil)
      let deleted = items[2]
      #expect(deleted["before"]?["title"] == "Buy oat milk")
      #expect(deleted["before"]?["project"]?["id"] == JSON(project))
      #expect(deleted["after"] == .null)
      #expect(deleted["actor"] == .null)
      #expect(deleted["command"] == JSON(delete))
      #expect(answer["count"] == 3)
      #expect(answer["asOf"]?["tasks/3"] == 11)
    }
    await scene.log.close()
  }

  @Test func `an entity is found by any name it had, by id, and by the ending of the id, also when it is gone`()
    async throws
  {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    let (item, tag) = (life.item, life.tag)
    let ofItem = ["tasks/3/4", "tasks/3/5", "tasks/3/7", "tasks/3/9"]
    try await scene.run { audit in
      for name in [
        "Buy milk", " BUY  Milk ", "buy oat milk", "Búy milk", "item/Buy milk", item.description, "item/\(item)",
        String(item.description.suffix(8)), String(item.description.suffix(12)).uppercased(),
      ] {
        #expect(await audit.receipts([("entity", name)]) == ofItem, "\(name)")
      }
      // A tag's history holds the items that had it, and the refusal that names it.
      #expect(
        await audit.receipts([("entity", "urgent")])
          == ["tasks/3/3", "tasks/3/5", "tasks/3/9", "tasks/3/11"])
      #expect(await audit.receipts([("entity", tag.description), ("type", "tasks.tag.created.*")]) == ["tasks/3/3"])
      #expect(await audit.get("/v1/history", [("entity", "Sell milk")]).status == 404)
      #expect(await audit.get("/v1/history", [("entity", "tag/Buy milk")]).status == 404)
      #expect(await audit.get("/v1/history", [("entity", "Buy milk"), ("workspace", "other")]).status == 404)
    }
    await scene.log.close()
  }

  @Test func `a visitor is found in either order, by last name, and by an earlier name`() async throws {
    let scene = try await AuditScene()
    let id = MessageID.next()
    let place = ServicePartition("visitorlog", 3)
    var story = StoryBuilder("visitorlog", 3)
    try await scene.append(
      [story.claim()]
        + story.command([
          .init(
            "visitorlog.visitor.registered.v1", "visitor/\(id)",
            ["id": JSON(id), "firstName": "Ada", "lastName": "Byron"])
        ])
        + story.command([
          .init(
            "visitorlog.visitor.renamed.v1", "visitor/\(id)",
            ["id": JSON(id), "before": ["lastName": "Byron"], "after": ["lastName": "Lovelace"]])
        ]), to: place)
    try await scene.run { audit in
      for name in ["Ada Lovelace", "Lovelace, Ada", "lovelace ada", "Lovelace", "Byron", "Ada Byron"] {
        #expect(await audit.receipts([("entity", name)]) == ["visitorlog/3/1", "visitorlog/3/3"], "\(name)")
      }
    }
    await scene.log.close()
  }

  @Test func `of several with one name the living one is meant, else the candidates are listed`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    let ids = (0..<3).map { _ in MessageID.next() }
    func made(_ id: MessageID) -> StoryBuilder.Event {
      .init("tasks.tag.created.v1", "tag/\(id)", ["id": JSON(id), "name": "urgent"])
    }
    func gone(_ id: MessageID) -> StoryBuilder.Event {
      .init("tasks.tag.deleted.v1", "tag/\(id)", ["id": JSON(id), "last": ["id": JSON(id), "name": "urgent"]])
    }
    try await scene.append(
      [story.claim()] + story.command([made(ids[0])]) + story.command([gone(ids[0])]) + story.command([made(ids[1])]),
      to: home)
    let later = story.command([gone(ids[1])])
    try await scene.run { audit in
      #expect(await audit.receipts([("entity", "urgent")]) == ["tasks/3/5"])
      try await scene.append(later, to: home)
      let (status, problem) = await audit.get("/v1/history", [("entity", "urgent"), ("after", "tasks/3/8")])
      #expect(status == 409)
      #expect(problem["code"] == "ambiguous")
      #expect(problem["count"] == 2)
      #expect(problem["candidates"]?.array?.compactMap { $0["id"] } == ids.prefix(2).map { JSON($0) })
      #expect(problem["candidates"]?.array?.first?["gone"] == true)
    }
    await scene.log.close()
  }

  @Test func `filters by actor, type, command and time, and receipts as bounds`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    let messages = life.tell()
    try await scene.append(messages, to: home)
    let edit = life.edit
    let editedAt = try #require(messages.first { $0.sequence == 7 }).time.description
    try await scene.run { audit in
      let cases: [([(name: String, value: String)], [Int])] = [
        ([("actor", "grace")], [7, 8]),
        ([("type", "*.deleted.v1")], [9]),
        ([("type", "tasks.tag.*"), ("type", "tasks.project.*")], [1, 3, 5]),
        ([("command", edit.description)], [7, 8]),
        ([("command", edit.description), ("type", "tasks.*")], [7]),
        ([("from", editedAt)], [7, 8, 9, 10, 11]),
        ([("to", editedAt), ("type", "tasks.*")], [1, 3, 4, 5, 7]),
        ([("from", "tasks/3/9")], [9, 10, 11]),
        ([("from", "tasks/3/4"), ("to", "tasks/3/7")], [3, 4, 5, 6, 7, 8]),
        ([("type", "daybook.command.decided.v1"), ("sort", "-time")], [11, 10, 8, 6, 2]),
        ([("workspace", "other")], []),
      ]
      for (query, expected) in cases {
        #expect(await audit.receipts(query) == expected.map { "tasks/3/\($0)" }, "\(query)")
        #expect(await audit.get("/v1/history", query).json["count"] == JSON(expected.count), "\(query)")
      }
      for wrong: [(name: String, value: String)] in [
        [("limit", "0")], [("limit", "x")], [("cursor", "x")], [("sort", "actor")], [("from", "yesterday")],
        [("command", "7")], [("workspace", "A B")], [("colour", "red")], [("actor", "a"), ("actor", "b")],
        [("after", "here")], [("workspace", "*")],
      ] {
        #expect(await audit.get("/v1/history", wrong).status == 422, "\(wrong)")
      }
      #expect(await audit.get("/v1/history", [("from", "tasks/3/99")]).status == 404)
    }
    await scene.log.close()
  }

  @Test func `paging gives each record once in both directions, also while more come`() async throws {
    let scene = try await AuditScene()
    var stories = ["tasks", "library"].map { StoryBuilder($0, 3) }
    for index in stories.indices {
      var messages = [stories[index].claim()]
      for _ in 0..<20 { messages += stories[index].command([.init("\(stories[index].service).x.done.v1")]) }
      try await scene.append(messages, to: ServicePartition(stories[index].service, 3))
    }
    let more = stories[0].command()
    try await scene.run { audit in
      for sort in ["time", "-time"] {
        var seen: [String] = []
        var cursor: String?
        repeat {
          var query: [(name: String, value: String)] = [("limit", "7"), ("sort", sort)]
          if let cursor { query.append(("cursor", cursor)) }
          let answer = await audit.get("/v1/history", query).json
          seen += answer["items"]?.array?.compactMap { $0["receipt"]?.string } ?? []
          cursor = answer["next"]?.string
          if seen.count == 7, sort == "-time" { try await scene.append(more, to: home) }
        } while cursor != nil
        #expect(Set(seen).count == seen.count)
        #expect(seen.count == 80)
        if sort == "time" { #expect(seen.prefix(4) == ["library/3/1", "library/3/2", "tasks/3/1", "tasks/3/2"]) }
      }
    }
    await scene.log.close()
  }

  @Test func `a command's decision is its answer with its status`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    let messages = life.tell()
    try await scene.append(messages, to: home)
    let edit = life.edit
    let refusal = try #require(messages.last.flatMap { Decision((try? JSON(parsing: $0.data)) ?? .null) })
    try await scene.run { audit in
      let (status, answer) = await audit.get("/v1/commands/\(edit)")
      #expect(status == 200)
      #expect(answer["status"] == "accepted")
      #expect(answer["command"] == JSON(edit))
      let refused = await audit.router.handle(Request(path: "/v1/commands/\(refusal.command)"))
      #expect(refused.status == 409)
      #expect(refused.headers.contains { $0 == ("content-type", "application/problem+json") })
      guard case .bytes(let bytes) = refused.body else { return }
      #expect(bytes == refusal.answer.bytes)
      #expect(await audit.get("/v1/commands/\(MessageID.next())").status == 404)
      #expect(await audit.get("/v1/commands/\(edit)", [("workspace", "other")]).status == 404)
      #expect(await audit.get("/v1/commands/7").status == 422)
    }
    await scene.log.close()
  }

  @Test func `positions and status tell where each partition stands`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.run { audit in
      let positions = await audit.get("/v1/positions").json["positions"]?.array ?? []
      #expect(positions.count == 12)
      #expect(
        positions.contains(["service": "tasks", "partition": 3, "offset": 12, "epoch": 1, "sequence": 11]))
      let status = await audit.get("/v1/status").json
      #expect(status["ready"] == true)
      #expect(
        status["positions"]?.array?.contains([
          "service": "tasks", "partition": 3, "offset": 12, "end": 12, "sequence": 11, "epoch": 1, "lag": 0,
        ]) == true)
    }
    await scene.log.close()
  }
}
