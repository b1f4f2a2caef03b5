import HTTP
import ProjectionService
import SQLite
import Testing

@Suite struct QueryPlanTests {
  /// A hot list, and what its page is found through.
  @Test(
    arguments: [
      ("projects", "project_by_created"), ("projects?sort=name", "project_by_name"),
      ("projects?place=home", "project_by_place, sorted"), ("projects?name=x", "sqlite_autoindex_project_2"),
      ("items", "item_by_created"), ("items?sort=-createdAt", "item_by_created"), ("items?sort=title", "item_by_title"),
      ("items?sort=-title", "item_by_title"), ("items?sort=dueOn", "item_by_due"), ("items?sort=-dueOn", "item_by_due"),
      ("items?done=true", "item_by_done"), ("items?done=false&sort=-createdAt", "item_by_done"),
      ("items?project=House", "item_by_project"), ("items?project=none", "item_by_project"),
      ("items?project=House&done=true", "item_by_project"), ("items?due-before=2026-05-25&sort=dueOn", "item_by_due"),
      ("items?due-before=2026-05-25", "item_by_due, sorted"),
      ("items?due-after=2026-05-25&due-before=2026-05-27", "item_by_due, sorted"),
      ("items?name=x", "item_by_title, sorted"), ("items?id=a1b2c3d4", ""),
      ("items?project=House&sort=-title", "item_by_project, sorted"),
      ("items?done=true&sort=title", "item_by_done, sorted"), ("items?tag=urgent", "item_tag_by_tag, rowid, sorted"),
      ("items?tag=urgent&tag=shop", "item_tag_by_tag, rowid, PRIMARY KEY, sorted"), ("tags", "tag_by_name"),
      ("tags?name=x", "sqlite_autoindex_tag_2"), ("books", "book_by_title"), ("books?sort=-addedAt", "book_by_added"),
      ("books?read=false", "book_by_read"), ("books?rating=5", "book_by_rating"),
      ("books?genre=Essay", "book_by_genre"),
      ("books?author=Plato", "book_author_by_author, rowid, sorted"), ("authors", "author_by_name"),
      ("genres", "genre_by_name"), ("visitors", "visitor_by_name"), ("visitors?sort=-name", "visitor_by_name"),
      ("visitors?sort=-registeredAt", "visitor_by_registered"), ("visits", "visit_by_arrival"),
      ("visits?from=2026-05-25T00:00:00Z&to=2026-05-26T00:00:00Z", "visit_by_arrival"),
      ("visits?open=true", "visit_open"), ("visits?visitor=Lovelace", "visit_by_visitor"),
      ("badges", "badge_by_number"),
      ("badges?free=true", "badge_by_number"),
    ] as [(String, String)])
  func `a hot list walks its index`(path: String, expected: String) async throws {
    let model = try await filled()
    let plan = try model.plan(path)
    #expect(Self.short(plan) == expected, "\(plan)")
  }

  /// A list, and where each of the statements for its next page begins.
  @Test(
    arguments: [
      ("items", "created_at=? AND rowid>? | created_at>?"),
      ("items?sort=-title", "title_sort=? AND rowid<? | title_sort<?"),
      ("items?project=House", "project=? AND created_at=? AND rowid>? | project=? AND created_at>?"),
      ("items?done=false", "is_completed=? AND created_at=? AND rowid>? | is_completed=? AND created_at>?"),
      ("items?sort=dueOn", "due_on=? AND rowid>? | due_on>? | due_on=?"),
      ("books", "title_sort=? AND rowid>? | title_sort>?"),
      ("visits", "arrived_at=? AND rowid<? | arrived_at<?"), ("projects", "created_at=? AND rowid<? | created_at<?"),
      ("visitors", "last_sort=? AND first_sort=? AND rowid>? | last_sort=? AND first_sort>? | last_sort>?"),
    ] as [(String, String)])
  func `the next page seeks to its place`(path: String, expected: String) async throws {
    let model = try await filled()
    let separator = path.contains("?") ? "&" : "?"
    let next = try #require(try await model.get("\(path)\(separator)limit=1")["next"]?.string)
    let plan = try model.plan("\(path)\(separator)cursor=\(next)")
    let seeks = plan.compactMap { line -> String? in
      guard !line.hasPrefix("count"), let start = line.range(of: "(workspace=? AND ") else { return nil }
      return String(line[start.upperBound...].dropLast())
    }
    #expect(seeks.joined(separator: " | ") == expected, "\(plan)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") })
  }

  @Test func `an ending of an id, a word and a tag drive the query by the rows that they give`() async throws {
    let model = try await filled()
    let id = try #require(try await model.rows("items")[0]["id"]?.string)
    for path in ["items?id=\(id.suffix(8))", "items?q=other", "items?q=shop", "books?q=plato", "visits?q=love"] {
      let plan = try model.plan(path)
      #expect(
        !plan.contains { $0.contains(" e USING") && !$0.contains("SEARCH e USING INTEGER PRIMARY KEY") }, "\(plan)")
      #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX") }, "\(plan)")
    }
  }

  @Test func `what is looked up by a name or an id is counted without reading rows`() async throws {
    let model = try await filled()
    for path in ["items?project=House", "items?tag=urgent", "items", "books?genre=Essay", "books?author=Plato"] {
      let plan = try model.plan(path)
      #expect(!plan.contains { $0.hasPrefix("count") }, "\(path)")
    }
  }

  private func filled() async throws -> ReadModelFixture {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.project.create.v1", [["name": "House", "place": "home"], ["name": "Garden"]])
    try model.sendAll(
      "tasks.item.add.v1",
      [
        ["title": "a", "project": ["name": "House"], "tags": ["urgent", "shop"]],
        ["title": "b", "project": ["name": "House"], "tags": ["urgent", "shop"]],
      ])
    try model.sendAll("tasks.project.create.v1", (0..<9).map { ["name": .string("Other \($0)")] })
    try model.sendAll("tasks.item.add.v1", (0..<40).map { ["title": .string("other \($0)"), "dueOn": "2027-01-01"] })
    try model.send("library.genre.add.v1", ["name": "Essay"])
    try model.sendAll("library.book.add.v1", (0..<9).map { ["title": .string("other \($0)")] })
    try model.sendAll(
      "library.book.add.v1",
      [
        ["title": "a", "authors": ["Plato"], "genre": ["name": "Essay"]],
        ["title": "b", "authors": ["Plato"], "genre": ["name": "Essay"]],
      ])
    try model.sendAll("visitorlog.visitor.register.v1", [["lastName": "Lovelace"], ["lastName": "Hopper"]])
    try model.sendAll(
      "visitorlog.visit.record.v1",
      [["visitor": ["name": "Lovelace"]], ["visitor": ["name": "Lovelace"], "again": true]])
    try model.sendAll(
      "visitorlog.visit.record.v1",
      (0..<9).map { _ in ["visitor": ["name": "Hopper"], "again": true, "arrivedAt": "2020-01-01T00:00:00Z"] })
    return model
  }

  /// The indexes of a plan, in order, and whether it sorts.
  private static func short(_ plan: [String]) -> String {
    let page = plan.filter { !$0.hasPrefix("count") && !$0.contains("LEFT-JOIN") }
    var parts = page.compactMap { line -> String? in
      if line.contains("INTEGER PRIMARY KEY") { return "rowid" }
      if line.contains("USING PRIMARY KEY") { return "PRIMARY KEY" }
      guard let range = line.range(of: "INDEX ") else { return line.hasPrefix("SCAN") ? line : nil }
      return String(line[range.upperBound...].prefix { $0 != " " })
    }
    if page.contains(where: { $0.contains("TEMP B-TREE") }) { parts.append("sorted") }
    return parts.joined(separator: ", ")
  }
}

extension ReadModelFixture {
  /// The plan of a list.
  func plan(_ path: String) throws -> [String] {
    let request = Self.request(path)
    let kind = try #require(Kind.allCases.first { "/v1/\($0.plural)" == request.path })
    return try ListPlan.of(kind, request, db, partitionCount: 1)
  }
}
