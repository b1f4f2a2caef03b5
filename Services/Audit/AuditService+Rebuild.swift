package import EventLog
import Messaging
import SQLite
package import ServiceKit

extension AuditService {
  /// Builds the history of a stopped data directory anew from the log. Refused while the audit runs, and where the log
  /// tells another history than `head.json` sealed: nothing is changed then.
  package static func rebuild(
    data: String, log: any EventLog, partitionCount: Int, services: [String] = ServiceContext.owners,
    progress: @Sendable (Int) -> Void = { _ in }
  ) async throws {
    let plan = plan(data: data, partitionCount: partitionCount, services: services)
    let headPath = AuditHead.path(in: plan.folder)
    try await FollowerReplay<AuditEffect>.rebuildStopped(
      plan, log: log, makeEffect: { try AuditEffect($0, headPath: nil) }, progress: progress
    ) { db in
      let ends = try AuditChainEnds.read(db)
      let sealed = try AuditHead.read(headPath)?.ends ?? [:]
      for (partition, seal) in sealed.sorted(by: { $0.key < $1.key }) {
        let hash = try db.prepare("SELECT hash FROM record WHERE service = ? AND partition = ? AND sequence = ?")
          .first(partition.service, partition.partition, seal.sequence) { $0.bytes(0) }
        guard hash != seal.hash else { continue }
        throw StartupError(
          "the log tells another history than the one sealed in \(headPath), up to "
            + "\(partition.receipt(seal.sequence)); restore the log, or remove that file to take the log's history")
      }
      // Before the file takes its place: a head file that is ahead for a moment is caught up with at the next start.
      try AuditHead(ends).write(to: headPath)
    }
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
