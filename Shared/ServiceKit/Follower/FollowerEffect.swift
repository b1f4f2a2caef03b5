package import Messaging
package import SQLite

/// What a follower makes of the log: the projection's read model, the audit's history. Everything is called on the
/// follower's one thread and inside its transaction, except where a member says otherwise.
///
/// The engine hands over whole commands only, each record once, in the order of sequences within a partition; between
/// partitions any order may come, so the rows must not depend on it.
package protocol FollowerEffect: AnyObject, SendableMetatype {
  /// The file's kind and tables. Its first step begins with `FollowerSchema.sql`.
  static var migrator: Migrator { get }
  /// Raise it whenever this build folds the same records into other rows: a file that was folded by a lower number is
  /// rebuilt from the log at the first start.
  static var foldVersion: Int { get }
  /// The tables that say what was folded: what `check` compares with a fresh fold. Not caches, row numbers, positions.
  static var tables: [ComparedTable] { get }
  /// Whether this build applies events of this type. Asked at start about each type that an earlier build passed over:
  /// where it does, the file is rebuilt.
  static func knows(type: String) -> Bool

  /// Applies one event or decision. Throw `ContractError` as a service's contract does: `unknownType` makes the engine
  /// pass the record over and remember the type; any other error stops the partition before this command. Read the
  /// event before the first row is written.
  func apply(_ record: ValidRecord, of partition: ServicePartition) throws
  /// Told of every record that is no new event or decision.
  func note(_ aside: FollowerAside, of partition: ServicePartition) throws
  /// The last call inside the transaction, after the last record.
  func willCommit() throws
  /// The transaction is committed. `isCaughtUp`: nothing more is waiting at this moment.
  func didCommit(isCaughtUp: Bool)
  /// Whether `settle` has something to do. Asked after each commit.
  var isUnsettled: Bool { get }
  /// Half a second after a commit that left it unsettled, whatever came meanwhile: work that a busy follower should not
  /// do at every commit.
  func settle()
  /// The transaction was rolled back: drop whatever is kept in memory of it. The same commands may come again.
  func didRollBack()
  /// The file is about to be closed.
  func willClose()
  /// Partitions that must not be read on, found when the file was opened.
  var stops: [FollowerStop] { get }
}

extension FollowerEffect {
  package var isUnsettled: Bool { false }
  package func settle() {}
  package func note(_ aside: FollowerAside, of partition: ServicePartition) throws {}
  package func willCommit() throws {}
  package func didCommit(isCaughtUp: Bool) {}
  package func didRollBack() {}
  package func willClose() {}
  package var stops: [FollowerStop] { [] }
}

/// A record that moves the position and is no new event or decision.
package enum FollowerAside: Sendable {
  /// It does not count: another epoch, a claim that lost, or no message at all (then `stray` is its value).
  case void(Message?, offset: Int64, stray: [UInt8])
  /// Part of a command whose decision never came: the next claim voided it.
  case voided(ValidRecord)
  /// It was applied before: same sequence, same id.
  case duplicate(ValidRecord)
  /// A valid claim: an owner started.
  case claim(Message, offset: Int64)
  /// The history was moved to this log.
  case moved(Message, offset: Int64)
}

/// The tables that a follower's `check` compares.
package typealias ComparedTable = FoldTable

extension FoldTable {
  package init(_ name: String, key: [String], columns: [String] = []) {
    self.init(name: name, key: key, columns: columns)
  }
}
