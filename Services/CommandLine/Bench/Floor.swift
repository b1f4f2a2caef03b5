import Foundation
import SQLite

/// What the same rows cost when nothing but SQLite writes them: every measured figure is given as a ratio to it.
///
/// The rows are read from the databases that the measured run left, held in memory, and written to new files with the
/// same schema, in the same number of transactions, each with the same fsync, by one prepared statement a table.
struct Floor {
  private struct Table {
    let insert: String
    let rows: [[Value]]
    /// Deleted again in the next transaction: an outbox, whose rows live until they are in the log.
    let delete: String?
  }

  private let name: String
  private let schema: [String]
  private var tables: [Table] = []

  /// Takes the schema and the rows of the file, without the tables in `except`.
  init(copying path: String, name: String, except: Set<String> = []) throws {
    self.name = name
    let db = try Connection(path, .reading)
    defer { db.close() }
    var objects: [(type: String, name: String, sql: String)] = []
    try db.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").forEach {
      objects.append((type: $0.string(0), name: $0.string(1), sql: $0.string(2)))
    }
    // A virtual table makes its own shadow tables.
    let virtual = objects.filter { $0.sql.uppercased().hasPrefix("CREATE VIRTUAL") }.map(\.name)
    objects.removeAll { object in
      object.name.hasPrefix("sqlite_") || virtual.contains { object.name.hasPrefix($0 + "_") }
    }
    schema = objects.map(\.sql)
    for object in objects where object.type == "table" && !except.contains(object.name) {
      try copy(object.name, from: db, withRowid: virtual.contains(object.name))
    }
  }

  private mutating func copy(_ table: String, from db: Connection, withRowid: Bool) throws {
    let columns = try db.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0").map(table) { $0.string(0) }
    let names = (withRowid ? ["rowid"] : []) + columns.map { "\"\($0)\"" }
    let rows = try db.prepare("SELECT \(names.joined(separator: ", ")) FROM \"\(table)\"").map { row in
      (0..<row.count).map { row.value($0) }
    }
    guard !rows.isEmpty else { return }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    tables.append(
      Table(
        insert: "INSERT INTO \"\(table)\" (\(names.joined(separator: ", "))) VALUES (\(marks))", rows: rows, delete: nil
      ))
  }

  /// Adds rows that the run wrote and deleted again: in the floor each transaction deletes those of the one before.
  mutating func addPassing(insert: String, rows: [[Value]], delete: String) {
    tables.append(Table(insert: insert, rows: rows, delete: delete))
  }

  /// The time to write all rows in that many transactions, or the first `atMost` of those, in a file of its own inside
  /// `folder`.
  func seconds(transactions: Int, atMost: Int = .max, durable: Bool = true, in folder: String) throws -> Double {
    let path = "\(folder)/floor-\(name)-\(UUID().uuidString).sqlite"
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let db = try Connection(path, .writing)
    defer { db.close() }
    for sql in schema { try db.execute(sql) }
    try db.execute("PRAGMA foreign_keys=OFF")
    if !durable { try db.execute("PRAGMA synchronous=OFF") }
    let statements = try tables.map { table in
      (insert: try db.prepare(table.insert), delete: try table.delete.map { try db.prepare($0) }, rows: table.rows)
    }
    let begin = try db.prepare("BEGIN IMMEDIATE")
    let commit = try db.prepare("COMMIT")
    let clock = ContinuousClock()
    let elapsed = try clock.measure {
      for index in 0..<min(transactions, atMost) {
        try begin.run()
        for table in statements {
          let range = slice(table.rows.count, index, transactions)
          if let delete = table.delete, index > 0 {
            for row in table.rows[slice(table.rows.count, index - 1, transactions)] { try delete.run(row[0]) }
          }
          for row in table.rows[range] { try table.insert.run(values: row) }
        }
        try commit.run()
      }
    }
    return elapsed.seconds
  }

  private func slice(_ count: Int, _ index: Int, _ of: Int) -> Range<Int> {
    count * index / of..<count * (index + 1) / of
  }
}
