package import EventLog
import Foundation
package import Messaging
package import SQLite

/// Folds the log into a file of its own, from the beginning up to a bound, and ends: for `rebuild`, `check` and
/// `replay --into`. Runs on its own thread.
package actor FollowerReplay<Effect: FollowerEffect> {
  private nonisolated let queue: SerialQueue
  package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  private let path: String
  private let db: Connection
  private let core: FollowerCore<Effect>

  /// Up to where a replay goes; whole commands only.
  package enum Bound: Sendable {
    /// What is in the log at this moment.
    case end
    /// Commands decided at or before that moment.
    case time(Timestamp)
    /// Records below these offsets; none of a partition that is not named.
    case offsets([ServicePartition: Int64])
  }

  /// Makes the file anew at `path`, in place of what is there; nil: in memory.
  package init(
    _ path: String?, installation: Installation, partitions: [ServicePartition],
    makeEffect: @Sendable (Connection) throws -> Effect
  ) throws {
    queue = SerialQueue("replay")
    self.path = path ?? ":memory:"
    if let path { try Self.remove(path) }
    db = try path.map { try Connection($0, .writing) } ?? Connection(":memory:", .memory)
    do {
      core = try FollowerCore(db, installation: installation, partitions: partitions, makeEffect: makeEffect)
      // Nobody reads it or relies on it before it is complete; `close` makes it durable. Pages are written once, and not
      // to a write-ahead log first.
      try db.execute("PRAGMA synchronous=OFF")
      if path != nil { try db.execute("PRAGMA journal_mode=MEMORY") }
    } catch {
      db.close()
      throw error
    }
  }

  /// Folds up to the bound; `progress` is told how many records were folded. Throws `FollowerStop` where a record cannot
  /// be applied (with `passesStops` that partition ends there and the others go on), `LogError` where the log cannot be
  /// read.
  package func run(
    _ log: any EventLog, until bound: Bound = .end, readLimit: Int = 2000, passesStops: Bool = false,
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    var time: Timestamp?
    if case .time(let bound) = bound { time = bound }
    var folded = 0
    for partition in core.partitions {
      guard let end = try await end(of: partition, log, bound), end > core.next(of: partition) else { continue }
      let reader = try await log.reader(of: partition.events, from: core.next(of: partition))
      defer { reader.close() }
      try await withThrowingTaskGroup(of: [ReadRecord].self) { group in
        group.addTask { try await Self.read(reader, atMost: readLimit, below: end) }
        while let records = try await group.next() {
          guard let last = records.last else { break }
          // The next records are read while these are folded.
          if last.offset + 1 < end {
            group.addTask { try await Self.read(reader, atMost: readLimit, below: end) }
          }
          core.take(records, of: partition, until: time)
          folded += try core.fold(isCaughtUp: false).reduce(0) { $0 + $1.applied }
          progress(folded)
          if let stop = core.stop(of: partition) {
            guard passesStops else { throw stop }
            break
          }
          if core.isFull(partition) { break }
        }
        group.cancelAll()
      }
    }
  }

  @concurrent
  private static func read(_ reader: any LogReader, atMost limit: Int, below end: Int64) async throws -> [ReadRecord] {
    try Task.checkCancellation()
    let records = try await reader.next(atMost: limit)
    if records.isEmpty { throw LogError.failed("the log was closed before it was read to its end") }
    return records.filter { $0.offset < end }.map(ReadRecord.init)
  }

  private func end(of partition: ServicePartition, _ log: any EventLog, _ bound: Bound) async throws -> Int64? {
    guard try await log.partitions(of: partition.events.topic) != nil else { return nil }
    let end = try await log.bounds(of: partition.events).upperBound
    if case .offsets(let offsets) = bound { return min(end, offsets[partition] ?? 0) }
    return end
  }

  /// Where each partition stands.
  package var positions: [ServicePartition: FollowerPosition] {
    var positions: [ServicePartition: FollowerPosition] = [:]
    for partition in core.partitions { positions[partition] = core.position(of: partition) }
    return positions
  }

  /// Reads what was folded, on the writing connection.
  package func read<T: Sendable>(_ body: @Sendable (Connection) throws -> T) throws -> T { try body(db) }

  /// Closes the file and makes it durable. Nothing stands beside it then, so it can be renamed.
  package func close() throws {
    guard path != ":memory:" else { return db.close() }
    try db.execute("PRAGMA journal_mode=WAL")
    db.close()
    try Durable.sync(path)
    // Statements that the effect still holds keep the connection half open, and these files with it: all of it is in
    // the file itself.
    for beside in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + beside) {
      try FileManager.default.removeItem(atPath: path + beside)
    }
  }

  /// The file and what SQLite keeps beside it.
  static func remove(_ path: String) throws {
    for file in [path, path + "-wal", path + "-shm", path + "-journal"]
    where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.removeItem(atPath: file)
    }
  }
}
