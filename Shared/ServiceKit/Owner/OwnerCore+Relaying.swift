package import EventLog
package import Messaging

extension OwnerCore {
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
      fresh.append(
        try statements.outbox(after: sent, atMost: max(limit, 256), bytes: Fresh.mostBytes, source: source))
      guard fresh.first?.sequence == sent + 1 else { throw OwnerFault("\(db.path): the outbox has a gap") }
    }
    let messages = fresh.take(atMost: limit, bytes: Self.mostPublishedBytes, epoch: epoch)
    sent += Int64(messages.count)
    return messages
  }

  /// Keeps what was just committed for `nextToPublish`, if it follows what is kept and there is room.
  func keepFresh(_ messages: [Message]) {
    guard messages.first?.sequence == sent + Int64(fresh.count) + 1, fresh.hasRoom(for: messages) else { return }
    fresh.append(messages)
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

/// Committed records that wait in memory to be published, so that they need not be read from the file again.
struct Fresh {
  /// With more records, or about so many bytes of data, the rest is read from the outbox table.
  static let most = 4096
  static let mostBytes = 8 << 20

  private var messages: [Message] = []
  private var bytes = 0

  var isEmpty: Bool { messages.isEmpty }
  var count: Int { messages.count }
  var first: Message? { messages.first }

  func hasRoom(for more: [Message]) -> Bool {
    messages.count + more.count <= Self.most && bytes + Self.bytes(more) <= Self.mostBytes
  }

  mutating func append(_ more: [Message]) {
    messages.append(contentsOf: more)
    bytes += Self.bytes(more)
  }

  /// The first ones, under an epoch; at least one where there is one.
  mutating func take(atMost limit: Int, bytes most: Int, epoch: Int64) -> [Message] {
    var taken: [Message] = []
    var size = 0
    for var message in messages.prefix(limit) where size < most {
      size += message.data.count
      message.epoch = epoch
      taken.append(message)
    }
    messages.removeFirst(taken.count)
    bytes -= size
    return taken
  }

  private static func bytes(_ messages: [Message]) -> Int { messages.reduce(0) { $0 + $1.data.count } }
}
