import HTTP
import Messaging
import SQLite
import ServiceKit

/// What is asked of the history, and the SQL for it.
struct HistoryFilter: Sendable {
  /// Nil: all.
  var workspace: String? = Workspace.main
  var entity: String?
  var actor: String?
  var command: String?
  /// Any of them; empty: every type.
  var types: [String] = []
  var from: Timestamp?
  var to: Timestamp?

  /// Reads the parameters that queries share; an entity is still a name then. A receipt as a bound means that record's
  /// time, itself included.
  init(_ request: Request, _ db: Connection, everyWorkspace: Bool) throws {
    let name = try request.value("workspace") ?? Workspace.main
    if everyWorkspace, name == "*" {
      workspace = nil
    } else {
      guard Workspace.isValid(name) else {
        throw Problem.invalid("workspace", "must be a name of a-z, 0-9, '.', '_' and '-', at most 63 characters")
      }
      workspace = name
    }
    actor = try request.value("actor")
    types = request.values("type")
    guard types.count <= 20, types.allSatisfy({ $0.utf8.count <= 200 }) else {
      throw Problem.invalid("type", "may stand 20 times, each at most 200 characters long")
    }
    if let text = try request.value("command") {
      guard let id = MessageID(text) else { throw Problem.invalid("command", "must be a UUID") }
      command = id.description
    }
    from = try Self.bound("from", request, db)
    to = try Self.bound("to", request, db)
  }

  private static func bound(_ name: String, _ request: Request, _ db: Connection) throws -> Timestamp? {
    guard let text = try request.value(name) else { return nil }
    if let time = Timestamp(text) { return time }
    guard let receipt = Receipt(text) else {
      throw Problem.invalid(name, "must be a receipt such as tasks/3/42, or a time such as 2026-05-25T08:30:00Z")
    }
    let time = try db.statement("SELECT time FROM record WHERE service = ? AND partition = ? AND sequence = ?")
      .first(receipt.service, receipt.partition, receipt.sequence) { $0.int64(0) }
    guard let time else { throw Problem.notFound("record", receipt.description) }
    return Timestamp(milliseconds: time)
  }

  /// `FROM … WHERE …` with its values. The index is named: which one is right follows from what is asked.
  var clause: (sql: String, values: [Value]) {
    var conditions: [String] = []
    var values: [Value] = []
    func add(_ condition: String, _ more: [Value]) {
      conditions.append(condition)
      values += more
    }
    var source = "FROM record r INDEXED BY record_time"
    if let entity {
      source = """
        FROM mention m CROSS JOIN record r INDEXED BY record_place
        ON r.service = m.service AND r.partition = m.partition AND r.sequence = m.sequence
        """
      add("m.workspace = ? AND m.entity = ?", [.text(workspace ?? ""), .text(entity)])
    } else if command != nil {
      source = "FROM record r INDEXED BY record_command"
    }
    if let command { add("r.command = ?", [.text(command)]) }
    if let workspace { add("r.workspace = ?", [.text(workspace)]) }
    if let actor { add("r.actor = ?", [.text(actor)]) }
    if !types.isEmpty {
      add("(" + types.map { _ in "r.type GLOB ?" }.joined(separator: " OR ") + ")", types.map(Value.text))
    }
    if let from { add("r.time >= ?", [.integer(from.milliseconds)]) }
    if let to { add("r.time <= ?", [.integer(to.milliseconds)]) }
    return (source + (conditions.isEmpty ? " WHERE true" : " WHERE " + conditions.joined(separator: " AND ")), values)
  }

  /// The records behind a place in the order of replay (or before it, newest first), at most `limit`.
  func page(
    _ db: Connection, behind place: HistoryPlace?, newestFirst: Bool = false, upToArrival last: Int64? = nil, limit: Int
  ) throws -> [HistoryRecord] {
    var (sql, values) = clause
    if let place {
      sql += " AND (r.time, r.service, r.partition, r.sequence) \(newestFirst ? "<" : ">") (?, ?, ?, ?)"
      values += place.values
    }
    if let last {
      sql += " AND r.arrival <= ?"
      values.append(.integer(last))
    }
    let order = ["time", "service", "partition", "sequence"].map { "r.\($0)\(newestFirst ? " DESC" : "")" }
    sql += " ORDER BY \(order.joined(separator: ", ")) LIMIT ?"
    values.append(.integer(Int64(limit)))
    return try db.statement("SELECT \(HistoryRecord.columns) \(sql)").map(values: values) { HistoryRecord($0) }
  }

  /// The records that came behind an arrival, in the order of arrival.
  func arrived(_ db: Connection, behind first: Int64, through last: Int64, limit: Int) throws -> [HistoryRecord] {
    var (sql, values) = clause
    sql = sql.replacing("INDEXED BY record_time", with: "NOT INDEXED")
    sql += " AND r.arrival > ? AND r.arrival <= ? ORDER BY r.arrival LIMIT ?"
    values += [.integer(first), .integer(last), .integer(Int64(limit))]
    return try db.statement("SELECT \(HistoryRecord.columns) \(sql)").map(values: values) { HistoryRecord($0) }
  }

  func count(_ db: Connection) throws -> Int {
    let (sql, values) = clause
    return try db.statement("SELECT count(*) \(sql)").map(values: values) { $0.int(0) }.first ?? 0
  }

  /// The last arrival in the file.
  static func lastArrival(_ db: Connection) throws -> Int64 {
    try db.statement("SELECT coalesce(max(arrival), 0) FROM record").first { $0.int64(0) } ?? 0
  }
}
