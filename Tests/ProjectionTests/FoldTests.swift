import Contracts
import EventLog
import Messaging
import ProjectionService
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite struct FoldTests {
  @Test func `what is read is what the owners hold, sequence for sequence`() async throws {
    let model = try await Self.household()
    func owner(_ rows: [[String]]) -> Set<String> { Set(rows.map { $0.joined(separator: " | ") }) }
    func mine(_ sql: String) throws -> Set<String> {
      Set(
        try model.db.prepare(sql).map(values: []) { row in
          (0..<row.count).map { row.isNull($0) ? "null" : row.string($0) }.joined(separator: " | ")
        })
    }
    let common = [
      "project": "id, name, key, place, created_at, starts_on, ends_on, sequence",
      "tag": "id, name, key, sequence", "item": "id, title, key, note, created_at, completed_at, due_on, sequence",
      "author": "id, name, key, sequence", "genre": "id, name, key, sequence",
      "book": "id, title, key, is_read, read_on, rating, review, added_at, sequence",
      "visitor": "id, first_name, last_name, registered_at, sequence",
      "visit": "id, arrived_at, departed_at, sequence", "badge": "id, number, key, sequence",
    ]
    for (table, columns) in common {
      let sql = "SELECT workspace, \(columns) FROM \(table)"
      let kind = try #require(Kind.allCases.first { $0.name == table })
      let rows =
        switch kind.service {
        case "tasks": try model.tasks.rows(sql)
        case "library": try model.library.rows(sql)
        default: try model.visitors.rows(sql)
        }
      #expect(!rows.isEmpty)
      #expect(try mine(sql) == owner(rows), "\(table)")
    }
    let links = [
      (
        try model.tasks.rows("SELECT item, tag FROM item_tag"),
        """
        SELECT i.id, t.id FROM item_tag AS x JOIN item AS i ON i.origin = x.item JOIN tag AS t ON t.origin = x.tag
        """
      ),
      (
        try model.tasks.rows("SELECT id, project FROM item"),
        "SELECT i.id, p.id FROM item AS i LEFT JOIN project AS p ON p.origin = i.project"
      ),
      (
        try model.library.rows("SELECT book, author FROM book_author"),
        """
        SELECT b.id, a.id FROM book_author AS x JOIN book AS b ON b.origin = x.book
        JOIN author AS a ON a.origin = x.author
        """
      ),
      (
        try model.visitors.rows("SELECT id, visitor FROM badge"),
        "SELECT b.id, v.id FROM badge AS b LEFT JOIN visitor AS v ON v.origin = b.visitor"
      ),
    ]
    for (rows, sql) in links {
      #expect(!rows.isEmpty)
      #expect(try mine(sql) == owner(rows))
    }
  }

  @Test func `counts are what a count would give`() async throws {
    let model = try await Self.household()
    let wrong = [
      "SELECT name FROM project AS p WHERE item_count <> (SELECT count(*) FROM item WHERE project = p.origin)",
      """
      SELECT name FROM project AS p
      WHERE done_count <> (SELECT count(*) FROM item WHERE project = p.origin AND completed_at IS NOT NULL)
      """,
      "SELECT name FROM tag AS t WHERE item_count <> (SELECT count(*) FROM item_tag WHERE tag = t.origin)",
      "SELECT name FROM author AS a WHERE book_count <> (SELECT count(*) FROM book_author WHERE author = a.origin)",
      "SELECT name FROM genre AS g WHERE book_count <> (SELECT count(*) FROM book WHERE genre = g.origin)",
      "SELECT id FROM visitor AS v WHERE visit_count <> (SELECT count(*) FROM visit WHERE visitor = v.origin)",
      "SELECT id FROM item WHERE is_completed <> (completed_at IS NOT NULL)",
      "SELECT origin FROM searched WHERE origin NOT IN (\(Self.documented))",
      "SELECT origin FROM (\(Self.documented)) WHERE origin NOT IN (SELECT origin FROM searched)",
    ]
    for sql in wrong { #expect(try model.db.prepare(sql).map(values: []) { $0.string(0) } == [], "\(sql)") }
    for kind in Kind.allCases {
      let sql = "SELECT count(*) FROM \(kind.name) AS e WHERE workspace = w.name"
      let different = try model.db.prepare("SELECT name FROM workspace AS w WHERE \(kind.plural) <> (\(sql))")
        .map(values: []) { $0.string(0) }
      #expect(different == [], "\(kind)")
    }
    // The index holds what the documents hold.
    try model.db.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
  }

  @Test func `a replay gives the same rows, and so does every record told twice`() async throws {
    let model = try await Self.household()
    let expected = try ReadModelFixture.digests(model.db)
    let (core, db) = try Self.fresh()
    for round in 0..<2 {
      for (partition, records) in model.logs { core.take(records, of: partition) }
      try core.fold()
      #expect(try ReadModelFixture.digests(db) == expected, "round \(round)")
    }
  }

  @Test(arguments: 0..<6)
  func `the order in which partitions come, and where batches end, is no difference`(seed: Int) async throws {
    let model = try await Self.household()
    let (core, db) = try Self.fresh()
    var generator = Seeded(UInt64(seed))
    var left = model.logs.map { (partition: $0.partition, records: $0.records[...]) }
    while !left.isEmpty {
      let pick = Int.random(in: 0..<left.count, using: &generator)
      let count = Int.random(in: 1...9, using: &generator)
      core.take(Array(left[pick].records.prefix(count)), of: left[pick].partition)
      left[pick].records = left[pick].records.dropFirst(count)
      if left[pick].records.isEmpty { left.remove(at: pick) }
      if Bool.random(using: &generator) { try core.fold() }
    }
    try core.fold()
    #expect(try ReadModelFixture.digests(db) == ReadModelFixture.digests(model.db))
  }

  @Test func `an event about what is not there stops its partition before its command, and nothing of it is kept`()
    throws
  {
    let (core, db) = try Self.fresh()
    let before = try ReadModelFixture.digests(db)
    var story = StoryBuilder()
    let id = MessageID.next()
    let messages =
      [story.claim()]
      + story.command([
        .init(
          TasksEvent.TagCreated.type, "tag/\(id)", TasksEvent.tagCreated(.init(id: id, name: "x", key: "x")).data),
        .init(
          TasksEvent.TagAssigned.type, "item/\(id)",
          TasksEvent.tagAssigned(.init(item: Named(id: id, name: "y"), tag: Named(id: id, name: "x"))).data),
      ])
    let partition = ServicePartition("tasks", 0)
    core.take(messages.records(), of: partition)
    try core.fold()
    #expect(core.stop(of: partition)?.description.contains("there is no item") == true)
    #expect(try ReadModelFixture.digests(db) == before)
  }

  @Test func `types of every version that a contract reads are known, others are not`() {
    #expect(ProjectionEffect.knows(type: "tasks.item.added.v1"))
    #expect(ProjectionEffect.knows(type: "library.book.added.v1"))
    #expect(ProjectionEffect.knows(type: "visitorlog.visit.recorded.v1"))
    for type in ["tasks.item.added.v9", "tasks.item.sung.v1", "cooking.pan.added.v1", ""] {
      #expect(!ProjectionEffect.knows(type: type))
    }
  }

  // MARK: - The log

  private static let documented = Kind.allCases.filter { $0 != .visit }.map { "SELECT origin FROM \($0.name)" }
    .joined(separator: " UNION ALL ")

  private static func fresh() throws -> (FollowerCore<ProjectionEffect>, Connection) {
    let db = try Connection(":memory:", .memory)
    return (try ReadModelFixture.core(db), db)
  }

  /// Everything that can happen, in two workspaces.
  private static func household() async throws -> ReadModelFixture {
    let model = try await ReadModelFixture()
    for workspace in ["main", "work"] {
      for (type, data) in story { try model.send(type, data, workspace: workspace) }
    }
    return model
  }

  private static let story: [(String, JSON)] = [
    ("tasks.project.create.v1", ["name": "House", "place": "home", "startsOn": "2026-05-01"]),
    ("tasks.project.create.v1", ["name": "Garden"]), ("tasks.project.create.v1", ["name": "Roof"]),
    ("tasks.item.add.v1", ["title": "milk", "project": ["name": "House"], "tags": ["urgent", "shop"]]),
    ("tasks.item.add.v1", ["title": "rent", "note": "first of May", "dueOn": "2026-05-01"]),
    ("tasks.item.add.v1", ["title": "wool", "project": ["name": "Garden"], "completedAt": "2026-05-25T08:30:00Z"]),
    ("tasks.item.add.v1", ["title": "tile", "project": ["name": "Roof"], "tags": ["urgent"]]),
    ("tasks.item.add.v1", ["title": "nail", "project": ["name": "Roof"], "tags": ["shop"]]),
    ("tasks.item.edit.v1", ["item": ["name": "rent"], "title": "the rent", "note": nil, "dueOn": nil]),
    ("tasks.item.complete.v1", ["item": ["name": "milk"]]), ("tasks.item.reopen.v1", ["item": ["name": "wool"]]),
    ("tasks.item.move.v1", ["item": ["name": "wool"], "project": ["name": "House"]]),
    ("tasks.project.edit.v1", ["project": ["name": "House"], "name": "Home", "place": nil, "endsOn": "2026-06-01"]),
    ("tasks.tag.create.v1", ["name": "lonely"]), ("tasks.tag.rename.v1", ["tag": ["name": "shop"], "name": "Shops"]),
    ("tasks.tag.assign.v1", ["item": ["name": "wool"], "tag": ["name": "Shops"]]),
    ("tasks.tag.unassign.v1", ["item": ["name": "milk"], "tag": ["name": "shops"]]),
    ("tasks.project.delete.v1", ["project": ["name": "Roof"]]), ("tasks.tag.delete.v1", ["tag": ["name": "lonely"]]),
    ("tasks.project.delete.v1", ["project": ["name": "Garden"], "items": "keep"]),
    ("library.genre.add.v1", ["name": "Essay"]), ("library.genre.add.v1", ["name": "Epic"]),
    ("library.book.add.v1", ["title": "Walden", "authors": ["Thoreau", "Nobody"], "genre": ["name": "Essay"]]),
    ("library.book.add.v1", ["title": "Beowulf", "genre": ["name": "Epic"], "rating": 4, "review": "Old."]),
    ("library.book.mark-read.v1", ["book": ["name": "Walden"], "readOn": "2026-05-02"]),
    ("library.book.edit.v1", ["book": ["name": "Beowulf"], "title": "Beówulf", "authors": ["Anon", "Nobody"]]),
    ("library.book.rate.v1", ["book": ["name": "Walden"], "rating": 5, "review": "Fine."]),
    ("library.author.remove.v1", ["author": ["name": "Nobody"], "detach": true]),
    ("library.author.rename.v1", ["author": ["name": "Thoreau"], "name": "H. D. Thoreau"]),
    ("library.genre.remove.v1", ["genre": ["name": "Epic"]]),
    ("library.genre.rename.v1", ["genre": ["name": "Essay"], "name": "Essays"]),
    ("visitorlog.visitor.register.v1", ["firstName": "Ada", "lastName": "Byron"]),
    ("visitorlog.visitor.register.v1", ["lastName": "Gone"]),
    ("visitorlog.visitor.rename.v1", ["visitor": ["name": "Ada Byron"], "lastName": "Lovelace"]),
    ("visitorlog.badge.add.v1", ["number": "B-1"]), ("visitorlog.badge.add.v1", ["number": "B-2"]),
    ("visitorlog.badge.issue.v1", ["visitor": ["name": "Gone"], "badge": ["name": "B-1"]]),
    ("visitorlog.badge.issue.v1", ["visitor": ["name": "Lovelace"], "badge": ["name": "B-2"]]),
    ("visitorlog.visit.record.v1", ["visitor": ["name": "Gone"]]),
    ("visitorlog.visit.record.v1", ["visitor": ["name": "Lovelace"], "arrivedAt": "2026-05-25T08:30:00Z"]),
    ("visitorlog.visit.end.v1", ["visitor": ["name": "Lovelace"], "departedAt": "2026-05-25T09:30:00Z"]),
    ("visitorlog.visitor.remove.v1", ["visitor": ["name": "Gone"]]),
  ]
}

/// A small generator of numbers that are the same every time.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
