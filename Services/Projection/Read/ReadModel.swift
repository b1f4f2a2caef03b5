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
    var page: (rows: [[Value]], next: Cursor?) = ([], nil)
    var count = 0
    if let sql = try sql(of: query) {
      count = try self.count(sql)
      page = try rows(of: query, sql, count: count)
    }
    var out = JSONOutput(capacity: 512 + page.rows.count * 320)
    out.openObject()
    out.key("items")
    out.openArray()
    let entities = EntityReader(db: db)
    for row in page.rows {
      if case .integer(let origin) = row[0] { _ = try entities.write(query.listing.kind, origin, to: &out) }
    }
    out.closeArray()
    try finish(&out, next: page.next, count: count, [query.listing.kind.service], query.workspace)
    return out.bytes
  }

  /// How the query is put to SQLite; nil where no row can fit.
  func sql(of query: ListQuery) throws -> ListSQL? {
    let context = FilterContext(db: db, workspace: query.workspace)
    let restrictions = try query.filters.map { try $0.filter.read($0.value, context) }
    let matches = try query.needle.map {
      try Matches($0, of: query.listing.kind, in: query.workspace, partitionCount: partitionCount, db)
    }
    return ListSQL(query, restrictions, matches: matches, total: try total(query.listing.kind, in: query.workspace))
  }

  /// How many rows fit in all.
  func count(_ sql: ListSQL) throws -> Int {
    try sql.knownCount ?? run(sql.count, sql.values) { $0.int(0) }.first ?? 0
  }

  /// The values of a cursor as rows have them. Clients see sequences, not row numbers.
  func place(_ cursor: Cursor, in query: ListQuery) -> [Value] {
    let kind = query.listing.kind
    let first = Origin.range(query.workspace, kind...kind, partitionCount: partitionCount).lowerBound
    guard case .integer(let sequence) = cursor.values.last else { return cursor.values }
    return cursor.values.dropLast() + [.integer(first | max(0, sequence))]
  }

  /// The rows of the page, each its origin and then its sort values, and the place behind the last one.
  private func rows(
    of query: ListQuery, _ sql: ListSQL, count: Int
  ) throws -> (rows: [[Value]], next: Cursor?) {
    var rows: [[Value]] = []
    let cursor = query.cursor.map { place($0, in: query) }
    for statement in sql.page(after: cursor, count: count) where rows.count <= query.limit {
      let missing = Value.integer(Int64(query.limit + 1 - rows.count))
      rows += try run(statement.sql, statement.values + [missing]) { row in (0..<row.count).map { row.value($0) } }
    }
    guard rows.count > query.limit, let last = rows.dropLast().last, case .integer(let origin) = last[0] else {
      return (rows, nil)
    }
    rows.removeLast()
    let values = Array(last.dropFirst()) + [Value.integer(Origin(number: origin).sequence)]
    return (rows, Cursor(query: query.fingerprint, values: values))
  }

  private func run<T>(_ sql: String, _ values: [Value], _ row: (borrowing Row) throws -> T) throws -> [T] {
    // Not kept: filters and sorts make many texts.
    try db.prepare(sql).map(values: values, row: row)
  }

  private func total(_ kind: Kind, in workspace: String) throws -> Int {
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
