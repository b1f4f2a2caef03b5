package import EventLog
import Foundation
package import Messaging
import SQLite
package import ServiceKit

/// What a read model is worth, compared with a fresh fold of the log.
package struct ReadModelCheck: Sendable {
  /// The first row that differs; nil where all are what follows from the log.
  package var difference: FoldDifference?
  /// SHA-256 over the rows of each table that was found equal.
  package var digests: [(table: String, digest: String)] = []
}

/// What is done with the read model while the projection does not run.
extension ProjectionService {
  /// Folds the whole log into a new read model in place of the old one, which stays until then. Throws a `StartupError`
  /// that names the process where the projection runs.
  package static func rebuild(
    data: String, log: any EventLog, partitionCount: Int, progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    try await FollowerReplay<ProjectionEffect>.rebuildStopped(
      plan(data, partitionCount: partitionCount), log: log,
      makeEffect: { try ProjectionEffect($0, partitionCount: partitionCount) }, progress: progress)
  }

  /// Compares the read model, table by table, with a fresh fold of the log up to where the read model is.
  package static func check(
    data: String, log: any EventLog, partitionCount: Int, progress: @Sendable (Int) -> Void = { _ in }
  ) async throws -> ReadModelCheck {
    let plan = plan(data, partitionCount: partitionCount)
    guard FileManager.default.fileExists(atPath: plan.path) else {
      throw StartupError("there is no read model at \(plan.path); build it with \"daybook rebuild projection\"")
    }
    let lock = try plan.lock(for: "rebuild projection --check")
    defer { lock.release() }
    try ProjectionEffect.migrator.checkHeader(plan.path)
    let found = ReaderPool(plan.path, size: 1)
    defer { found.close() }
    let installation = Installation(logID: log.id, partitionCount: partitionCount)
    let offsets = try found.withConnection { db in
      guard try KeptReadModel.installation(of: db) == installation else {
        throw StartupError("\(plan.path) belongs to another log or another number of partitions")
      }
      return try FollowerPosition.all(db).mapValues(\.offset)
    }
    let replay = try FollowerReplay<ProjectionEffect>(
      nil, installation: installation, partitions: plan.partitions,
      makeEffect: { try ProjectionEffect($0, partitionCount: partitionCount) })
    try await replay.run(log, until: .offsets(offsets), progress: progress)
    let result = try await replay.read { expected in
      try found.withConnection { try compare($0, with: expected) }
    }
    try await replay.close()
    return result
  }

  private static func compare(_ found: Connection, with expected: Connection) throws -> ReadModelCheck {
    var check = ReadModelCheck()
    for table in ReadModelSchema.tables {
      let table = FoldTable(name: table.name, key: table.key, columns: table.columns)
      check.difference = try table.difference(found, from: expected)
      if check.difference != nil { break }
      check.digests.append((table: table.name, digest: try table.digest(found)))
    }
    return check
  }

  /// Folds the log up to a moment (nil: to its end) into a read model of its own in `directory`, for
  /// `ProjectionService(readOnly:)`. Throws a `StartupError` where the directory holds one already.
  package static func replay(
    log: any EventLog, partitionCount: Int, until time: Timestamp?, into directory: String,
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    let plan = plan(directory, partitionCount: partitionCount)
    let lock = try plan.lock(for: "replay")
    defer { lock.release() }
    guard !FileManager.default.fileExists(atPath: plan.path) else {
      throw StartupError("\(plan.path) is there already; name another directory, or remove it first")
    }
    let new = plan.path + ".new"
    let replay = try FollowerReplay<ProjectionEffect>(
      new, installation: Installation(logID: log.id, partitionCount: partitionCount), partitions: plan.partitions,
      makeEffect: { try ProjectionEffect($0, partitionCount: partitionCount) })
    do {
      try await replay.run(log, until: time.map { .time($0) } ?? .end, progress: progress)
      try await replay.close()
      try FileManager.default.moveItem(atPath: new, toPath: plan.path)
    } catch {
      try? await replay.close()
      for file in [new, new + "-wal", new + "-shm"] { try? FileManager.default.removeItem(atPath: file) }
      throw error
    }
  }
}
