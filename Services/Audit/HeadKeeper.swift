import Foundation
import Messaging
import ServiceKit

/// Writes the head file behind the commits, at most twice a second, so that its syncs cost nothing under load. It never
/// claims more than is durable: the database's own log of changes is synced first.
final class HeadKeeper {
  private let path: String
  private let database: String
  private let trouble: (String?) -> Void
  /// What the file sealed when it was opened: a history that is folded anew must come by it.
  let sealed: [ServicePartition: AuditHead.End]
  /// Partitions whose entry stays as it was.
  var stopped: Set<ServicePartition> = []
  private var written: AuditHead?
  private var writtenAt: ContinuousClock.Instant?
  /// Whether records were committed that the file does not tell of yet.
  private(set) var isBehind = false
  private var isInTrouble = false

  init(_ path: String, database: String, trouble: @escaping (String?) -> Void) throws {
    self.path = path
    self.database = database
    self.trouble = trouble
    written = try AuditHead.read(path)
    sealed = written?.ends ?? [:]
  }

  /// Writes the file where it would say something new, but not twice within half a second: then it is left behind.
  func writeUnlessRecent(_ ends: [ServicePartition: AuditHead.End]) {
    if let writtenAt, ContinuousClock.now - writtenAt < .milliseconds(500) { isBehind = true } else { write(ends) }
  }

  /// Writes the file where it would say something new.
  func write(_ ends: [ServicePartition: AuditHead.End]) {
    isBehind = false
    var head = AuditHead(ends)
    for (partition, end) in sealed {
      // A history that has not come so far again, or is another one, does not lower what was sealed.
      if stopped.contains(partition) || (ends[partition]?.sequence ?? 0) < end.sequence { head.ends[partition] = end }
    }
    guard head != written else { return }
    do {
      let changes = database + "-wal"
      if FileManager.default.fileExists(atPath: changes) { try Durable.sync(changes) }
      try head.write(to: path)
      written = head
      writtenAt = .now
      if isInTrouble { trouble(nil) }
      isInTrouble = false
    } catch {
      isInTrouble = true
      trouble("\(error)")
    }
  }
}
