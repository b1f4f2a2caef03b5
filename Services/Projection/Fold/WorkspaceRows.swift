import SQLite

/// How many entities of each kind a workspace holds: counted in memory, written once a transaction.
final class WorkspaceRows {
  private var changes: [String: [Int]] = [:]
  private let add: Statement

  init(_ db: Connection) throws {
    let columns = Kind.allCases.map(\.plural)
    let parameters = columns.indices.map { "?\($0 + 2)" }
    add = try db.prepare(
      """
      INSERT INTO workspace (name, \(columns.joined(separator: ", "))) VALUES (?1, \(parameters.joined(separator: ", ")))
      ON CONFLICT DO UPDATE SET \(zip(columns, parameters).map { "\($0) = \($0) + \($1)" }.joined(separator: ", "))
      """)
  }

  func count(_ workspace: String, _ kind: Kind, by change: Int) {
    changes[workspace, default: Array(repeating: 0, count: Kind.allCases.count)][Int(kind.rawValue) - 1] += change
  }

  /// Writes what was counted since.
  func write() throws {
    for (workspace, counts) in changes {
      try add.run(values: [.text(workspace)] + counts.map { .integer(Int64($0)) })
    }
    changes.removeAll(keepingCapacity: true)
  }

  /// Forgets what was counted since: it was rolled back.
  func drop() { changes.removeAll(keepingCapacity: true) }
}
