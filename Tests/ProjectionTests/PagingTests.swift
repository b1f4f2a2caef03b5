import Messaging
import Testing

@Suite struct PagingTests {
  /// 1,000 items of one moment; every other one has no due day, and those that have share few of them.
  private static func fill(_ model: ReadModelFixture) throws -> [MessageID] {
    try model.sendAll("tasks.project.create.v1", [["name": "A"], ["name": "B"]])
    return try model.sendAll(
      "tasks.item.add.v1",
      (0..<1000).map { index in
        var item: JSONObject = [
          "title": .string("item \(index % 37)"), "createdAt": "2026-05-25T08:30:00Z",
          "tags": index % 3 == 0 ? ["third"] : [],
        ]
        if index % 2 == 0 { item["dueOn"] = .string("2026-05-\(10 + index % 7)") }
        if index % 5 < 2 { item["project"] = ["name": index % 5 == 0 ? "A" : "B"] }
        if index % 4 == 0 { item["completedAt"] = "2026-05-25T09:00:00Z" }
        return .object(item)
      })
  }

  @Test(.timeLimit(.minutes(2)))
  func `every row comes exactly once, in the order of the whole list, in either direction`() async throws {
    let model = try await ReadModelFixture()
    let items = try Self.fill(model)
    let sorts = [
      "createdAt", "-createdAt", "dueOn", "-dueOn", "title", "-title", "dueOn,-title", "-dueOn,title",
      "project,-completedAt", "-isCompleted,dueOn,-createdAt",
    ]
    for sort in sorts {
      let whole = try await model.rows("items?sort=\(sort)&limit=1000").compactMap { $0["id"]?.string }
      let paged = try await model.pages("items?sort=\(sort)", [], of: 13).compactMap { $0["id"]?.string }
      #expect(paged == whole, "\(sort)")
      #expect(Set(paged) == Set(items.map(\.description)), "\(sort)")
      let opposite = sort.split(separator: ",").map { $0.hasPrefix("-") ? $0.dropFirst() : "-\($0)" }
      let back = try await model.pages("items?sort=\(opposite.joined(separator: ","))", [], of: 97)
        .compactMap { $0["id"]?.string }
      // Nothing is last in either direction, so that only the rest turns round.
      if !sort.contains("dueOn"), !sort.contains("completedAt"), !sort.contains("project") {
        #expect(back == whole.reversed(), "\(sort)")
      } else {
        #expect(Set(back) == Set(whole))
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `filtered and searched lists page as well, and say how many there are in all`() async throws {
    let model = try await ReadModelFixture()
    _ = try Self.fill(model)
    for query in [
      "tag=third", "project=A", "project=none&tag=third", "q=item 1", "q=third&sort=-dueOn", "done=true&tag=third",
    ] {
      let whole = try await model.get("items?\(query)&limit=1000")
      let ids = try #require(whole["items"]?.array).compactMap { $0["id"]?.string }
      #expect(whole["count"] == JSON(ids.count))
      #expect(!ids.isEmpty && ids.count < 1000)
      #expect(try await model.pages("items?\(query)", [], of: 13).compactMap { $0["id"]?.string } == ids, "\(query)")
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: ["createdAt", "-dueOn", "title,-dueOn", "-project,title"])
  func `rows that stay come once, whatever else is added, changed and deleted between pages`(sort: String) async throws
  {
    let model = try await ReadModelFixture()
    let items = try Self.fill(model)
    var gone: Set<String> = []
    let rows = try await model.pages("items?sort=\(sort)", [], of: 101) { page in
      try model.sendAll(
        "tasks.item.add.v1", (0..<5).map { ["title": .string("new \(page) \($0)"), "dueOn": "2026-05-13"] })
      for index in stride(from: page * 7, to: page * 7 + 3, by: 1) where index < items.count {
        try model.send("tasks.item.delete.v1", ["item": JSON(items[index])])
        gone.insert(items[index].description)
      }
      let moved = items[500 + page]
      try model.send("tasks.item.edit.v1", ["item": JSON(moved), "title": "aaa", "dueOn": "2026-05-01"])
      gone.insert(moved.description)
    }
    let seen = rows.compactMap { $0["id"]?.string }
    for item in items.map(\.description) where !gone.contains(item) {
      #expect(seen.filter { $0 == item }.count == 1)
    }
  }

  @Test func `visitors, visits and hits page in a total order`() async throws {
    let model = try await ReadModelFixture()
    let visitors = try model.sendAll(
      "visitorlog.visitor.register.v1",
      (0..<60).map { ["firstName": .string("F\($0 % 3)"), "lastName": $0 % 2 == 0 ? "Same" : ""] })
    try model.sendAll(
      "visitorlog.visit.record.v1", visitors.map { ["visitor": JSON($0), "arrivedAt": "2026-05-25T08:30:00Z"] })
    for path in ["visitors", "visits", "visits?sort=visitor", "visitors?sort=-name", "search?q=same", "search?q=f"] {
      let separator = path.contains("?") ? "&" : "?"
      let whole = try await model.rows("\(path)\(separator)limit=1000").compactMap { $0["id"]?.string }
      let paged = try await model.pages(path, [], of: 7).compactMap { $0["id"]?.string }
      #expect(paged == whole && Set(paged).count == paged.count && paged.count >= 30, "\(path)")
    }
  }
}
