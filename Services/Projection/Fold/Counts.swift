import SQLite

/// The counts that the read model keeps: changed in memory while events are folded, written once a transaction.
final class Counts {
  private struct Change {
    var all = 0
    var done = 0
    mutating func add(_ all: Int, done: Int) {
      self.all += all
      self.done += done
    }
  }
  /// By workspace, one number a kind.
  private var workspaces: [String: [Int]] = [:]
  /// By kind (its raw value) and origin: what belongs to that entity.
  private var members: [[Int64: Change]] = Array(repeating: [:], count: Kind.allCases.count + 1)
  private let addWorkspace: Statement
  private let addMembers: [Kind: Statement]
  private let partitionCount: Int

  init(_ db: Connection, partitionCount: Int) throws {
    self.partitionCount = partitionCount
    let columns = Kind.allCases.map(\.plural)
    let parameters = columns.indices.map { "?\($0 + 3)" }
    addWorkspace = try db.prepare(
      """
      INSERT INTO workspace (name, base, \(columns.joined(separator: ", "))) VALUES (?1, ?2, \(parameters.joined(separator: ", ")))
      ON CONFLICT DO UPDATE SET \(zip(columns, parameters).map { "\($0) = \($0) + \($1)" }.joined(separator: ", "))
      """)
    func add(_ kind: Kind, _ column: String) throws -> Statement {
      try db.prepare("UPDATE \(kind) SET \(column) = \(column) + ?2 WHERE origin = ?1")
    }
    addMembers = [
      .project: try db.prepare(
        "UPDATE project SET item_count = item_count + ?2, done_count = done_count + ?3 WHERE origin = ?1"),
      .tag: try add(.tag, "item_count"), .author: try add(.author, "book_count"),
      .genre: try add(.genre, "book_count"), .visitor: try add(.visitor, "visit_count"),
    ]
  }

  /// So many more entities of a kind in a workspace.
  func count(_ workspace: String, _ kind: Kind, by change: Int) {
    workspaces[workspace, default: Array(repeating: 0, count: Kind.allCases.count)][Int(kind.rawValue) - 1] += change
  }

  /// So many more items of a project or a tag, books of an author or a genre, visits of a visitor.
  func members(_ kind: Kind, _ origin: Int64?, by change: Int, done: Int = 0) {
    guard let origin else { return }
    members[Int(kind.rawValue)][origin, default: Change()].add(change, done: done)
  }

  /// Writes what was counted since. What was deleted meanwhile has no row to write to.
  func write() throws {
    for (workspace, counts) in workspaces {
      let base = Origin.base(of: workspace, partitionCount: partitionCount)
      try addWorkspace.run(values: [.text(workspace), .integer(base)] + counts.map { .integer(Int64($0)) })
    }
    for (kind, statement) in addMembers {
      for (origin, change) in members[Int(kind.rawValue)] where change.all != 0 || change.done != 0 {
        if kind == .project {
          try statement.run(origin, change.all, change.done)
        } else {
          try statement.run(origin, change.all)
        }
      }
    }
    drop()
  }

  /// Forgets what was counted since: it was written, or rolled back.
  func drop() {
    workspaces.removeAll(keepingCapacity: true)
    for kind in members.indices { members[kind].removeAll(keepingCapacity: true) }
  }
}
