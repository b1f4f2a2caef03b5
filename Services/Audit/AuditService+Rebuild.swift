package import EventLog
import Messaging
import SQLite
package import ServiceKit
import Synchronization

extension AuditService {
  /// Builds the history of a stopped data directory anew from the log. Refused while the audit runs, and where the log
  /// tells another history than `head.json` sealed: nothing is changed then.
  package static func rebuild(
    data: String, log: any EventLog, partitionCount: Int, services: [String] = ServiceContext.owners,
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    let plan = plan(data: data, partitionCount: partitionCount, services: services)
    let headPath = AuditHead.path(in: plan.folder)
    let lock = try plan.lock(for: "rebuild audit")
    defer { lock.release() }
    let sealed = try AuditHead.read(headPath)?.ends ?? [:]
    let ends = Mutex(AuditHead())
    try await FollowerReplay<AuditEffect>.rebuild(
      plan, log: log, installation: Installation(logID: log.id, partitionCount: partitionCount),
      makeEffect: { try AuditEffect($0, headPath: nil) }, progress: progress
    ) { db in
      for (partition, seal) in sealed.sorted(by: { $0.key < $1.key }) {
        let hash = try db.prepare("SELECT hash FROM record WHERE service = ? AND partition = ? AND sequence = ?")
          .first(partition.service, partition.partition, seal.sequence) { $0.bytes(0) }
        guard hash != seal.hash else { continue }
        throw StartupError(
          "the log tells another history than the one sealed in \(headPath), up to "
            + "\(partition.receipt(seal.sequence)); restore the log, or remove that file to take the log's history")
      }
      let read = try AuditChainEnds.read(db)
      ends.withLock { $0 = AuditHead(read) }
    }
    try ends.withLock { $0 }.write(to: headPath)
  }

  /// Compares the history of a stopped data directory with a fresh fold of the log up to the same positions; nil where
  /// they are equal, else the first row that differs.
  package static func check(
    data: String, log: any EventLog, partitionCount: Int, services: [String] = ServiceContext.owners
  ) async throws -> FoldDifference? {
    try await FollowerReplay<AuditEffect>.check(
      plan(data: data, partitionCount: partitionCount, services: services), log: log,
      makeEffect: { try AuditEffect($0, headPath: nil) })
  }
}
