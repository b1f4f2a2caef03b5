import Contracts
import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// A follower's effect that keeps each event's data as a row, counts what it is told, and refuses what it is asked to.
class NotesEffect: FollowerEffect {
  static let migrator = Migrator(
    applicationID: 0x7465_7374,
    steps: [
      FollowerSchema.sql + """
        CREATE TABLE note (
          service TEXT NOT NULL, partition INTEGER NOT NULL, sequence INTEGER NOT NULL, type TEXT NOT NULL,
          data TEXT NOT NULL, PRIMARY KEY (service, partition, sequence)
        ) STRICT;
        CREATE TABLE told (service TEXT NOT NULL, partition INTEGER NOT NULL, what TEXT NOT NULL) STRICT;
        """
    ])
  static let foldVersion = 1
  static let tables = [ComparedTable("note", key: ["service", "partition", "sequence"])]
  class func knows(type: String) -> Bool { !type.hasPrefix("tasks.future.") }

  /// Whether this build applies the second version of every type.
  class var isNewer: Bool { false }

  /// Throws for an event of that type after its rows are written.
  var refuses: String?
  /// Throws for every commit, as a full disk does.
  var isDiskFull: () -> Bool = { false }
  var rollBacks = 0
  var commits = 0
  private let add: Statement
  private let tell: Statement

  required init(_ db: Connection) throws {
    add = try db.prepare("INSERT INTO note VALUES (?, ?, ?, ?, ?)")
    tell = try db.prepare("INSERT INTO told VALUES (?, ?, ?)")
  }

  func apply(_ record: ValidRecord, of partition: ServicePartition) throws {
    let type = record.message.type
    if type.hasSuffix(".v2") && !Self.isNewer { throw ContractError.newerVersion(type) }
    guard Self.knows(type: type) else { throw ContractError.unknownType(type) }
    try add.run(
      partition.service, partition.partition, record.sequence, type,
      String(decoding: record.message.data, as: UTF8.self))
    if type == refuses { throw ContractError.unreadable(type: type, reason: "no title") }
  }

  func note(_ aside: FollowerAside, of partition: ServicePartition) throws {
    let what =
      switch aside {
      case .void: "void"
      case .voided: "voided"
      case .duplicate: "duplicate"
      case .claim: "claim"
      case .moved: "moved"
      }
    try tell.run(partition.service, partition.partition, what)
  }

  func willCommit() throws {
    if isDiskFull() { throw SQLiteError(code: 13, message: "database or disk is full", path: "test") }
  }
  func didCommit(isCaughtUp: Bool) { commits += 1 }
  func didRollBack() { rollBacks += 1 }

  /// The sequences and what was told, in order: `1 2 3 | claim void`.
  static func story(_ db: Connection, _ partition: ServicePartition = first) throws -> String {
    let notes = try db.prepare(
      "SELECT sequence FROM note WHERE service = ? AND partition = ? ORDER BY sequence"
    ).map(partition.service, partition.partition) { $0.string(0) }
    let told = try db.prepare("SELECT what FROM told WHERE service = ? AND partition = ? ORDER BY rowid")
      .map(partition.service, partition.partition) { $0.string(0) }
    return (notes + ["|"] + told).joined(separator: " ")
  }
}

/// The build after it: it knows every type and version.
final class NextNotesEffect: NotesEffect {
  override class func knows(type: String) -> Bool { true }
  override class var isNewer: Bool { true }
}

/// The one partition that most cases need.
let first = ServicePartition("tasks", 0)
let second = ServicePartition("tasks", 1)

extension FollowerCore where Effect == NotesEffect {
  convenience init(
    _ db: Connection, _ partitions: [ServicePartition] = [first], rules: Validity.Rules = .all, log: String = "log"
  ) throws {
    try self.init(
      db, installation: Installation(logID: log, partitionCount: 2), partitions: partitions, rules: rules,
      makeEffect: NotesEffect.init)
  }
}
