package import EventLog
package import Messaging

extension OwnerCore {
  /// How many committed records wait in memory to be published; more are read from the outbox table.
  static var mostFresh: Int { 4096 }
  /// The bytes of data after which a batch for the log ends.
  static var mostPublishedBytes: Int { 4 << 20 }

  /// How many decided records are not handed over to be published yet.
  package var unsentCount: Int { status == .owning ? Int(state.lastSequence - sent) : 0 }
  /// How many decided records are not read back yet.
  package var unmarkedCount: Int { unmarked.count }

  /// The next outbox records to publish, as records.
  package func nextToPublish(atMost limit: Int) throws -> [NewRecord] {
    try nextMessages(atMost: limit).map(\.record)
  }

  /// The next outbox records to publish, in order, under the owner's epoch; they count as handed over from now on.
  /// Empty while it does not own the partition.
  package func nextMessages(atMost limit: Int) throws -> [Message] {
    guard status == .owning, sent < state.lastSequence, limit > 0 else { return [] }
    if fresh.isEmpty {
      fresh = try statements.outbox(after: sent, atMost: max(limit, 256), source: source)
      guard fresh.first?.sequence == sent + 1 else { throw OwnerFault("\(db.path): the outbox has a gap") }
    }
    var bytes = 0
    var count = 0
    while count < min(limit, fresh.count), bytes < Self.mostPublishedBytes {
      bytes += fresh[count].data.count
      fresh[count].epoch = epoch
      count += 1
    }
    let messages = Array(fresh.prefix(count))
    fresh.removeFirst(count)
    sent += Int64(count)
    return messages
  }

  /// Keeps what was just committed for `nextToPublish`, if it follows what is kept and there is room.
  func keepFresh(_ messages: [Message]) {
    let kept = sent + Int64(fresh.count)
    guard let first = messages.first?.sequence, first == kept + 1, fresh.count + messages.count <= Self.mostFresh
    else { return }
    fresh.append(contentsOf: messages)
  }

  /// The log has taken the first `count` records handed over and not marked; `next` is the offset behind them. Changes
  /// nothing: that a record is in the log does not mean that it counts, only reading it back does.
  package func acknowledged(_ count: Int, next: Int64) throws {
    guard !rules.contains(.readBack) else { return }
    for _ in 0..<count {
      guard let due = unmarked.next else { break }
      unmarked.removeFirst()
      state.markedSequence = due.sequence
      state.markedID = due.id
    }
    nextOffset = next
    validity = Validity(epoch: epoch, rules: rules)
    (state.mark, state.markEpoch, isMarkDirty) = (next, epoch, true)
  }
}
