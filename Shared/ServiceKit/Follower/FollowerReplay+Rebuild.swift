package import EventLog
import Foundation
package import SQLite

extension FollowerReplay {
  /// Folds the whole log into a new file beside the follower's and puts it in its place in one step. The caller holds
  /// the follower's lock; until the last step the old file is untouched. `inspect` may look at the new file first and
  /// refuse it by throwing. A record that cannot be applied throws, or with `passesStops` ends its partition only.
  package static func rebuild(
    _ plan: FollowerPlan, log: any EventLog, installation: Installation,
    makeEffect: @Sendable (Connection) throws -> Effect, passesStops: Bool = false,
    progress: @Sendable (Int) -> Void = { _ in }, inspect: @Sendable (Connection) throws -> Void = { _ in }
  ) async throws {
    let new = plan.path + ".rebuild"
    do {
      let replay = try FollowerReplay(
        new, installation: installation, partitions: plan.partitions, makeEffect: makeEffect)
      try await replay.complete(log, passesStops: passesStops, progress: progress, inspect: inspect)
    } catch {
      try? remove(new)
      throw error
    }
    try putInPlace(plan, new)
  }

  private func complete(
    _ log: any EventLog, passesStops: Bool, progress: @Sendable (Int) -> Void,
    inspect: @Sendable (Connection) throws -> Void
  ) async throws {
    try await run(log, passesStops: passesStops, progress: progress)
    try read(inspect)
    try close()
  }

  private static func putInPlace(_ plan: FollowerPlan, _ new: String) throws {
    // What stands in the old file's write-ahead log must never be applied to the new file.
    if let old = try? Connection(plan.path, .writing) { old.close() }
    for beside in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: plan.path + beside) }
    try Durable.replace(plan.path, with: new)
  }

  /// As above, for a follower that does not run: takes its lock for the time. Throws a `StartupError` that names the
  /// process where it runs.
  package static func rebuildStopped(
    _ plan: FollowerPlan, log: any EventLog, makeEffect: @Sendable (Connection) throws -> Effect,
    progress: @Sendable (Int) -> Void = { _ in }, inspect: @Sendable (Connection) throws -> Void = { _ in }
  ) async throws {
    let lock = try plan.lock(for: "rebuild \(plan.name)")
    defer { lock.release() }
    let installation = Installation(logID: log.id, partitionCount: plan.partitionCount)
    try installation.checkFile(plan.path)
    try await rebuild(
      plan, log: log, installation: installation,
      makeEffect: makeEffect, progress: progress, inspect: inspect)
  }
}
