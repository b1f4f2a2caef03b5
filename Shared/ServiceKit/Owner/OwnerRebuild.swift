import EventLog
import Foundation
import Messaging
import SQLite

/// Builds an owner's files anew from the log, or compares them with it. For owners that do not run: takes their locks
/// for the time, and throws a `StartupError` that names the process where one is taken. The context's partitions are
/// treated.
package enum OwnerRebuild<D: Domain> {
  /// What came of one partition.
  package struct Report: Sendable {
    /// `tasks/3`.
    package let name: String
    /// The last sequence.
    package let sequence: Int64
    /// The digest of each table, by its name.
    package let digests: [(table: String, digest: String)]
    /// Where the database differs from the fold of the log; nil where it does not.
    package let difference: FoldDifference?
  }

  /// Folds the log into a new file for each partition, then puts it in the old one's place in one step; until then the
  /// old file is untouched. What the old one had decided and not published was told to nobody: it is decided anew.
  /// `progress` is told how many records were read, now and then.
  package static func rebuild(
    _ context: ServiceContext, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> [Report] {
    try await withLocks(context) { partition in
      let file = OwnerFile(service: D.service, partition: partition, context: context)
      try Installation(logID: context.log.id, partitionCount: context.partitionCount).checkFile(file.path)
      let new = file.path + ".rebuild"
      try OwnerFile.remove(new)
      do {
        let fold = try await OwnerFold<D>(file: file, at: new, partition: partition, context: context)
        try await fold.run(context.log, progress: progress)
        let report = try await fold.report()
        await fold.close()
        try Durable.sync(new)
        try file.replace(with: new)
        return report
      } catch {
        try? OwnerFile.remove(new)
        throw error
      }
    }
  }

  /// Folds the log, up to where the database is and with what it has not published, into a file beside it, and compares
  /// all rows. Changes nothing.
  package static func check(
    _ context: ServiceContext, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> [Report] {
    try await withLocks(context) { partition in
      let file = OwnerFile(service: D.service, partition: partition, context: context)
      let scratch = file.path + ".check"
      try OwnerFile.remove(scratch)
      defer { try? OwnerFile.remove(scratch) }
      guard FileManager.default.fileExists(atPath: file.path) else {
        throw StartupError("there is no database \(file.path); build it from the log with \"rebuild\"")
      }
      let fold = try await OwnerFold<D>(file: file, at: scratch, partition: partition, context: context)
      do {
        let report = try await fold.compare(context.log, progress: progress)
        await fold.close()
        return report
      } catch {
        await fold.close()
        throw error
      }
    }
  }

  /// All locks are taken before anything is done.
  private static func withLocks(
    _ context: ServiceContext, _ body: (Int) async throws -> Report
  ) async throws -> [Report] {
    var locks: [FileLock] = []
    defer { for lock in locks { lock.release() } }
    for partition in context.partitions {
      let file = OwnerFile(service: D.service, partition: partition, context: context)
      locks.append(try FileLock(file.lockPath, holder: "rebuild \(D.service)/\(partition)"))
    }
    var reports: [Report] = []
    for partition in context.partitions { reports.append(try await body(partition)) }
    return reports
  }
}

/// A fold of an event partition into a file of its own, on a thread of its own.
actor OwnerFold<D: Domain> {
  private let file: OwnerFile
  private let events: TopicPartition
  private let queue: SerialQueue
  private var core: OwnerCore<D>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  init(file: OwnerFile, at path: String, partition: Int, context: ServiceContext) async throws {
    self.file = file
    events = TopicPartition(Topic.events(D.service), partition)
    queue = SerialQueue("fold \(D.service)/\(partition)")
    try open(path, partition, context.partitionCount)
  }

  private func open(_ path: String, _ partition: Int, _ partitionCount: Int) throws {
    let db = try file.open(D.self, at: path)
    // Nothing of it counts before it is complete and synced as a whole.
    try db.execute("PRAGMA synchronous=OFF")
    core = try OwnerCore<D>(db, partition: partition, partitionCount: partitionCount)
  }

  func close() {
    core?.close()
    core = nil
  }

  /// Folds everything that stands in the log now, or less.
  func run(
    _ log: any EventLog, until enough: @Sendable (OwnerState, Int64) -> Bool = { _, _ in false },
    progress: @Sendable (Int) -> Void
  ) async throws {
    let end = try await log.bounds(of: events).upperBound
    let reader = try await log.reader(of: events, from: core?.nextOffset ?? 0)
    defer { reader.close() }
    var count = 0
    while let core, core.nextOffset < end, !enough(core.state, core.nextOffset) {
      let records = try await reader.next(atMost: 2000)
      guard !records.isEmpty else { throw CancellationError() }
      _ = try core.ingest(records.map(ReadRecord.init), until: enough)
      count += records.count
      progress(count)
    }
    try core?.flushMark()
    try core?.db.execute("PRAGMA synchronous=OFF")
  }

  func report(_ difference: FoldDifference? = nil) throws -> OwnerRebuild<D>.Report {
    guard let core else { throw CancellationError() }
    return OwnerRebuild<D>.Report(
      name: core.name, sequence: core.state.lastSequence,
      digests: try FoldTable.all(D.self).map { ($0.name, try $0.digest(core.db)) }, difference: difference)
  }

  /// Folds as far as the live database is, and looks for the first difference.
  func compare(_ log: any EventLog, progress: @Sendable (Int) -> Void) async throws -> OwnerRebuild<D>.Report {
    let live = try openLive()
    defer { live.close() }
    let state = try OwnerState.read(live)
    try await run(
      log, until: { $0.markedSequence >= state.lastSequence && $1 >= state.mark }, progress: progress)
    if let difference = try foldOutbox(of: live) { return try report(difference) }
    return try report(difference(of: live))
  }

  private func openLive() throws -> Connection {
    let migrator = OwnerFile.migrator(D.self)
    try migrator.checkHeader(file.path)
    let live = try Connection(file.path, .reading)
    do {
      let version = try migrator.check(live)
      guard version == migrator.steps.count else {
        throw StartupError("\(file.path) is from an older build; start it once with this one, then compare")
      }
      guard try Installation.read(live) == file.installation else {
        throw StartupError("\(file.path) belongs to another log or another number of partitions")
      }
      return live
    } catch {
      live.close()
      throw error
    }
  }

  /// Folds what the live database has decided and not read back; what the log has already must be the same record.
  private func foldOutbox(of live: Connection) throws -> FoldDifference? {
    guard let core else { throw CancellationError() }
    let statements = try OwnerStatements(live)
    var after: Int64 = 0
    while true {
      let messages = try statements.outbox(after: after, atMost: 500, bytes: 8 << 20, source: core.source)
      guard let last = messages.last?.sequence else { return nil }
      if let first = messages.first(where: { $0.sequence ?? 0 > core.state.lastSequence })?.sequence,
        first != core.state.lastSequence + 1
      {
        return FoldDifference(
          table: "outbox", key: "sequence \(first)", detail: "the records before it are neither there nor in the log")
      }
      try core.foldUnpublished(messages)
      after = last
    }
  }

  private func difference(of live: Connection) throws -> FoldDifference? {
    guard let core else { throw CancellationError() }
    for table in FoldTable.all(D.self) {
      guard try table.digest(live) != table.digest(core.db) else { continue }
      if let difference = try table.difference(live, from: core.db) { return difference }
    }
    let sound = try live.prepare("PRAGMA integrity_check(1)").first { $0.string(0) } ?? ""
    return sound == "ok" ? nil : FoldDifference(table: "the file", key: "", detail: "it is not sound: \(sound)")
  }
}

extension OwnerCore {
  /// Folds the records of an outbox that follow the last sequence.
  func foldUnpublished(_ messages: [Message]) throws {
    try begin()
    do {
      for message in messages {
        guard let sequence = message.sequence, sequence > state.lastSequence else { continue }
        try fold(message, sequence: sequence)
      }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }
}

extension OwnerFile {
  /// Removes a database with what SQLite keeps beside it.
  static func remove(_ path: String) throws {
    for suffix in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  /// Puts a complete file in this one's place.
  func replace(with new: String) throws {
    // What stands in the old file's write-ahead log must never be applied to the new file.
    if let old = try? Connection(path, .writing) { old.close() }
    for beside in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + beside) }
    try Durable.replace(path, with: new)
  }
}
