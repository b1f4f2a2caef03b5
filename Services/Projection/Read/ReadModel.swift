import HTTP
import Messaging
import SQLite
import ServiceKit

/// Answers reads from one snapshot of the file. Belongs to the connection for the time of one read.
struct ReadModel {
  let db: Connection
  let partitionCount: Int

  // MARK: - Lists

  /// `{"items","next","count","asOf"}`.
  func list(_ query: ListQuery) throws -> [UInt8] {
    let page = try sql(of: query).map { try self.page(of: query, $0) } ?? ListPage()
    var out = JSONOutput(capacity: 512 + page.origins.count * 320)
    out.openObject()
    out.key("items")
    out.openArray()
    let entities = EntityReader(db: db)
    for origin in page.origins { _ = try entities.write(query.listing.kind, origin, to: &out) }
    out.closeArray()
    try finish(&out, next: page.next, count: page.count, [query.listing.kind.service], query.workspace)
    return out.bytes
  }

  /// How the query is put to SQLite; nil where no row can fit.
  func sql(of query: ListQuery) throws -> ListSQL? {
    let kind = query.listing.kind
    let context = FilterContext(db: db, workspace: query.workspace)
    let restrictions = try query.filters.map { try $0.filter.read($0.value, context) }
    let found = try query.needle.map { needle in
      let finder = Finder(needle: needle, workspace: query.workspace, partitionCount: partitionCount, db: db)
      return try finder.ranked(kind, in: finder.found(Finder.kinds(for: kind))).map(\.origin)
    }
    return ListSQL(query, restrictions, found: found, total: try total(kind, in: query.workspace))
  }

  private func page(of query: ListQuery, _ sql: ListSQL) throws -> ListPage {
    let cursor = query.cursor.map { place($0, in: query) }
    var page = ListPage()
    // The row after the last one of a page says that there is a next page.
    var last: [Value] = []
    var isCut = false
    func take(_ row: borrowing Row) {
      guard page.origins.count < query.limit else {
        isCut = true
        return
      }
      page.origins.append(row.int64(0))
      if page.origins.count == query.limit { last = (1...query.orders.count).map { row.value($0) } }
    }
    if sql.findsAll {
      let all = sql.all(after: cursor)
      let behind = query.orders.count + 1
      try run(all) { row in
        page.count += 1
        if row.bool(behind) { take(row) }
      }
    } else {
      page.count = try count(sql)
      for statement in sql.page(after: cursor, count: page.count) where !isCut {
        let missing = Value.integer(Int64(query.limit + 1 - page.origins.count))
        try run((statement.sql, statement.values + [missing])) { take($0) }
      }
    }
    if isCut, let origin = page.origins.last {
      let place = last + [.integer(Origin(number: origin).sequence)]
      page.next = Cursor(query: query.fingerprint, values: place)
    }
    return page
  }

  /// How many rows fit in all.
  func count(_ sql: ListSQL) throws -> Int {
    if let known = sql.knownCount { return known }
    var count = 0
    try run(sql.count) { count = $0.int(0) }
    return count
  }

  /// The values of a cursor as rows have them. Clients see sequences, not row numbers.
  func place(_ cursor: Cursor, in query: ListQuery) -> [Value] {
    let kind = query.listing.kind
    let first = Origin.range(query.workspace, kind...kind, partitionCount: partitionCount).lowerBound
    guard case .integer(let sequence) = cursor.values.last else { return cursor.values }
    return cursor.values.dropLast() + [.integer(first | max(0, sequence))]
  }

  private func run(_ statement: ListSQL.Statement, _ row: (borrowing Row) throws -> Void) throws {
    // Not kept: filters and sorts make many texts.
    _ = try db.prepare(statement.sql).map(values: statement.values, row: row)
  }

  /// How many entities of a kind a workspace has.
  func total(_ kind: Kind, in workspace: String) throws -> Int {
    try db.statement("SELECT \(kind.plural) FROM workspace WHERE name = ?").first(workspace) { $0.int(0) } ?? 0
  }

  // MARK: - One entity

  /// The entity as `GET /v1/items/{id}` gives it; nil where it is not there.
  func entity(_ kind: Kind, _ id: MessageID, in workspace: String) throws -> [UInt8]? {
    let origin = try db.statement("SELECT origin FROM \(kind) WHERE workspace = ? AND id = ?")
      .first(workspace, id.description) { $0.int64(0) }
    var out = JSONOutput()
    guard let origin, try EntityReader(db: db).write(kind, origin, whole: true, to: &out) else { return nil }
    return out.bytes
  }

  // MARK: - The end of every list

  /// Writes `next`, `count` and `asOf` behind the items and closes the document. `asOf` names the partitions that the
  /// answer depends on, each with the last sequence folded.
  func finish(
    _ out: inout JSONOutput, next: Cursor?, count: Int, _ services: [String], _ workspace: String?
  ) throws {
    out.key("next")
    if let next { out.text(next.text) } else { out.null() }
    out.key("count")
    out.integer(Int64(count))
    out.key("asOf")
    out.openObject()
    for (partition, sequence) in try asOf(services, workspace) {
      out.key(partition.description)
      out.integer(sequence)
    }
    out.closeObject()
    out.closeObject()
  }

  /// How far this snapshot is, for a workspace or (nil) for all.
  func asOf(_ services: [String], _ workspace: String?) throws -> [(partition: ServicePartition, sequence: Int64)] {
    let positions = try FollowerPosition.all(db)
    let mine = workspace.map { Workspace.partition(of: $0, count: partitionCount) }
    return ServicePartition.all(services, partitionCount: partitionCount)
      .filter { mine == nil || $0.partition == mine }
      .map { (partition: $0, sequence: positions[$0]?.sequence ?? 0) }
  }
}

/// What a list answers with.
private struct ListPage {
  var origins: [Int64] = []
  var next: Cursor?
  /// Of all pages.
  var count = 0
}
