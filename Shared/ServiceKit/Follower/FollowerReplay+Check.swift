package import EventLog
import Foundation
import Messaging
package import SQLite

extension FollowerReplay {
  /// Compares a follower's file with a fresh fold of the log up to the same positions, table by table: by digest, and
  /// where those differ by rows. Nil where all are equal, else the first row that differs. Takes the follower's lock
  /// for the time; the file stays as it is. Throws a `StartupError` where there is none or where it runs.
  package static func check(
    _ plan: FollowerPlan, log: any EventLog, makeEffect: @Sendable (Connection) throws -> Effect,
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> FoldDifference? {
    guard FileManager.default.fileExists(atPath: plan.path) else {
      throw StartupError("there is nothing to check at \(plan.path)")
    }
    let lock = try plan.lock(for: "check \(plan.name)")
    defer { lock.release() }
    try Effect.migrator.checkHeader(plan.path)
    let readers = ReaderPool(plan.path)
    defer { readers.close() }
    let positions = try readers.withConnection { try FollowerPosition.all($0) }
    // Beside the file and not in memory: it may be large.
    let path = plan.path + ".check"
    defer { try? remove(path) }
    let replay = try FollowerReplay(
      path, installation: Installation(logID: log.id, partitionCount: plan.partitionCount),
      partitions: plan.partitions, makeEffect: makeEffect)
    try await replay.run(log, until: .offsets(positions.mapValues(\.offset)), progress: progress)
    let difference = try await replay.read { fresh -> FoldDifference? in
      try readers.withConnection { try Self.difference($0, from: fresh) }
    }
    try await replay.close()
    return difference
  }

  /// The first row at which a file differs from what it should be.
  static func difference(_ found: Connection, from expected: Connection) throws -> FoldDifference? {
    for table in Effect.tables where try table.digest(found) != table.digest(expected) {
      if let difference = try table.difference(found, from: expected) { return difference }
    }
    return nil
  }
}
