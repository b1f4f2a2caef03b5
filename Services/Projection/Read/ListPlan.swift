package import HTTP
package import SQLite

/// How SQLite would run a list: for the tests that hold lists to their indexes.
package enum ListPlan {
  /// The lines of the query plan of the page and, where rows must be counted, of the count.
  package static func of(_ kind: Kind, _ request: Request, _ db: Connection, partitionCount: Int) throws -> [String] {
    let query = try ListQuery(request, .of(kind))
    let model = ReadModel(db: db, partitionCount: partitionCount)
    guard let sql = try model.sql(of: query) else { return [] }
    let cursor = query.cursor.map { model.place($0, in: query) }
    guard !sql.findsAll else { return try lines(sql.all(after: cursor), db) }
    var plan: [String] = []
    for page in sql.page(after: cursor, count: try model.count(sql)) {
      plan += try lines((page.sql, page.values + [.integer(100)]), db)
    }
    if sql.knownCount == nil { plan += try lines(sql.count, db).map { "count: \($0)" } }
    return plan
  }

  private static func lines(_ statement: ListSQL.Statement, _ db: Connection) throws -> [String] {
    try db.prepare("EXPLAIN QUERY PLAN \(statement.sql)").map(values: statement.values) { $0.string(3) }
  }
}
