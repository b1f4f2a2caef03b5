import Contracts
import Messaging
import SQLite

/// Reads one entity at a time, by its origin, and writes it as JSON. Belongs to a connection.
struct EntityReader {
  /// The most of what an entity carries in a list of its own: the items of a project, the visits of a visitor.
  static let mostInside = 100

  let db: Connection

  /// Writes the entity; `whole` as `GET /v1/projects/{id}` gives it. False where it is not there.
  func write(_ kind: Kind, _ origin: Int64, whole: Bool = false, to out: inout JSONOutput) throws -> Bool {
    let found: Void? =
      switch kind {
      case .project: try project(origin, whole, &out)
      case .item: try item(origin, &out)
      case .tag: try named("tag", "item_count", "itemCount", origin, &out)
      case .book: try book(origin, &out)
      case .author: try named("author", "book_count", "bookCount", origin, &out)
      case .genre: try named("genre", "book_count", "bookCount", origin, &out)
      case .visitor: try visitor(origin, &out)
      case .visit: try visit(origin, &out)
      case .badge: try badge(origin, &out)
      }
    return found != nil
  }

  private func project(_ origin: Int64, _ whole: Bool, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT id, name, place, created_at, starts_on, ends_on, item_count, done_count, sequence, workspace
      FROM project WHERE origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("name")
      out.text(row, 1)
      out.key("place")
      out.text(row, 2)
      out.key("createdAt")
      out.time(row, 3)
      out.key("startsOn")
      out.text(row, 4)
      out.key("endsOn")
      out.text(row, 5)
      out.key("itemCount")
      out.integer(row, 6)
      out.key("doneCount")
      out.integer(row, 7)
      if whole {
        out.key("items")
        try list(
          .item, &out,
          "SELECT origin FROM item WHERE workspace = ? AND project = ? ORDER BY created_at, origin LIMIT ?",
          row.string(9), origin)
      }
      out.key("sequence")
      out.integer(row, 8)
      out.closeObject()
    }
  }

  private func item(_ origin: Int64, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT i.id, i.title, i.note, i.created_at, i.is_completed, i.completed_at, i.due_on, p.id, p.name, i.sequence
      FROM item AS i LEFT JOIN project AS p ON p.origin = i.project WHERE i.origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("title")
      out.text(row, 1)
      out.key("note")
      out.text(row, 2)
      out.key("createdAt")
      out.time(row, 3)
      out.key("isCompleted")
      out.bool(row.bool(4))
      out.key("completedAt")
      out.time(row, 5)
      out.key("dueOn")
      out.text(row, 6)
      out.key("project")
      out.named(row, 7)
      out.key("tags")
      try names(
        origin,
        """
        SELECT t.id, t.name FROM item_tag AS x CROSS JOIN tag AS t ON t.origin = x.tag
        WHERE x.item = ? ORDER BY t.name_sort, t.origin
        """, &out)
      out.key("sequence")
      out.integer(row, 9)
      out.closeObject()
    }
  }

  /// A tag, an author or a genre.
  private func named(
    _ table: String, _ count: String, _ countKey: StaticString, _ origin: Int64, _ out: inout JSONOutput
  ) throws -> Void? {
    try db.statement("SELECT id, name, \(count), sequence FROM \(table) WHERE origin = ?").first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("name")
      out.text(row, 1)
      out.key(countKey)
      out.integer(row, 2)
      out.key("sequence")
      out.integer(row, 3)
      out.closeObject()
    }
  }

  private func book(_ origin: Int64, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT b.id, b.title, g.id, g.name, b.is_read, b.read_on, b.rating, b.review, b.added_at, b.sequence
      FROM book AS b LEFT JOIN genre AS g ON g.origin = b.genre WHERE b.origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("title")
      out.text(row, 1)
      out.key("authors")
      try names(
        origin,
        """
        SELECT a.id, a.name FROM book_author AS x CROSS JOIN author AS a ON a.origin = x.author
        WHERE x.book = ? ORDER BY a.name_sort, a.origin
        """, &out)
      out.key("genre")
      out.named(row, 2)
      out.key("isRead")
      out.bool(row.bool(4))
      out.key("readOn")
      out.text(row, 5)
      out.key("rating")
      out.integer(row, 6)
      out.key("review")
      out.text(row, 7)
      out.key("addedAt")
      out.time(row, 8)
      out.key("sequence")
      out.integer(row, 9)
      out.closeObject()
    }
  }

  private func visitor(_ origin: Int64, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT v.id, v.first_name, v.last_name, v.registered_at, v.visit_count, b.id, b.number, v.sequence, v.workspace
      FROM visitor AS v LEFT JOIN badge AS b ON b.workspace = v.workspace AND b.visitor = v.origin WHERE v.origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("firstName")
      out.text(row, 1)
      out.key("lastName")
      out.text(row, 2)
      out.key("name")
      out.text(VisitorName.listed(first: row.string(1), last: row.string(2)))
      out.key("registeredAt")
      out.time(row, 3)
      out.key("visitCount")
      out.integer(row, 4)
      out.key("visits")
      try list(
        .visit, &out,
        "SELECT origin FROM visit WHERE workspace = ? AND visitor = ? ORDER BY arrived_at DESC, origin DESC LIMIT ?",
        row.string(8), origin)
      out.key("badge")
      out.named(row, 5, as: "number")
      out.key("sequence")
      out.integer(row, 7)
      out.closeObject()
    }
  }

  private func visit(_ origin: Int64, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT e.id, v.id, v.first_name, v.last_name, e.arrived_at, e.departed_at, e.sequence
      FROM visit AS e LEFT JOIN visitor AS v ON v.origin = e.visitor WHERE e.origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("visitor")
      person(row, 1, &out)
      out.key("arrivedAt")
      out.time(row, 4)
      out.key("departedAt")
      out.time(row, 5)
      out.key("sequence")
      out.integer(row, 6)
      out.closeObject()
    }
  }

  private func badge(_ origin: Int64, _ out: inout JSONOutput) throws -> Void? {
    try db.statement(
      """
      SELECT b.id, b.number, v.id, v.first_name, v.last_name, b.sequence
      FROM badge AS b LEFT JOIN visitor AS v ON v.origin = b.visitor WHERE b.origin = ?
      """
    ).first(origin) { row in
      out.openObject()
      out.key("id")
      out.text(row, 0)
      out.key("number")
      out.text(row, 1)
      out.key("visitor")
      person(row, 2, &out)
      out.key("sequence")
      out.integer(row, 5)
      out.closeObject()
    }
  }

  // MARK: - Parts

  /// `{"id","name"}` of a visitor's id, first and last name; null where there is none.
  private func person(_ row: borrowing Row, _ column: Int, _ out: inout JSONOutput) {
    if row.isNull(column) { return out.null() }
    out.openObject()
    out.key("id")
    out.text(row, column)
    out.key("name")
    out.text(VisitorName.listed(first: row.string(column + 1), last: row.string(column + 2)))
    out.closeObject()
  }

  /// `[{"id","name"}]`.
  private func names(_ origin: Int64, _ sql: String, _ out: inout JSONOutput) throws {
    out.openArray()
    try db.statement(sql).forEach(origin) { out.named($0, 0) }
    out.closeArray()
  }

  /// The entities that a query gives the origins of.
  private func list(_ kind: Kind, _ out: inout JSONOutput, _ sql: String, _ workspace: String, _ origin: Int64) throws {
    out.openArray()
    for inside in try db.statement(sql).map(workspace, origin, Self.mostInside, row: { $0.int64(0) }) {
      _ = try write(kind, inside, to: &out)
    }
    out.closeArray()
  }
}
