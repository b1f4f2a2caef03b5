import Messaging
import ServiceKit

/// Writes the head file behind the commits. While many records come it is written at most twice a second, so that its
/// two syncs cost nothing then; it never claims more than is committed.
final class HeadKeeper {
  private let path: String
  private let trouble: (String?) -> Void
  /// What the file sealed when it was opened: a history that is folded anew must come by it.
  let sealed: [ServicePartition: AuditHead.End]
  /// Partitions whose entry stays as it was.
  var stopped: Set<ServicePartition> = []
  private var written: AuditHead?
  private var writtenAt = ContinuousClock.now
  private var isInTrouble = false

  init(_ path: String, trouble: @escaping (String?) -> Void) throws {
    self.path = path
    self.trouble = trouble
    written = try AuditHead.read(path)
    sealed = written?.ends ?? [:]
  }

  /// Writes the file where it would say something new; with `always` false only if that was not just done.
  func write(_ ends: [ServicePartition: AuditHead.End], always: Bool) {
    guard always || ContinuousClock.now - writtenAt > .milliseconds(500) else { return }
    var head = AuditHead(ends)
    for (partition, end) in sealed {
      // A history that has not come so far again, or is another one, does not lower what was sealed.
      if stopped.contains(partition) || (ends[partition]?.sequence ?? 0) < end.sequence { head.ends[partition] = end }
    }
    guard head != written else { return }
    do {
      try head.write(to: path)
      written = head
      writtenAt = .now
      if isInTrouble { trouble(nil) }
      isInTrouble = false
    } catch {
      isInTrouble = true
      trouble("cannot write \(path): \(error)")
    }
  }
}
