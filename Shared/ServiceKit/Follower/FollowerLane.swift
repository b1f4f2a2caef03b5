import EventLog
import Messaging

/// What a follower has read of one partition and not yet folded. A value; `FollowerCore` keeps one a partition.
struct FollowerLane {
  /// Something that a stored position may stand behind: asides, then perhaps a whole command.
  struct Step {
    var asides: [FollowerAside]
    var command: [ValidRecord] = []
    /// The position behind it.
    let offset: Int64
    let epoch: Int64
    /// The claim or decision that it ends with.
    var last: FollowerPosition.Mark?
  }

  let partition: ServicePartition
  /// What the file holds.
  var committed: FollowerPosition
  /// The offset of the next record to read; at or past the committed one.
  private(set) var next: Int64
  private(set) var steps: [Step] = []
  private(set) var validity: Validity
  /// Void records that stand inside a command whose decision is not there yet.
  private var held: [FollowerAside] = []
  private(set) var stop: FollowerStop?
  /// Set once a command past the bound was met: nothing more is taken.
  private(set) var isFull = false

  init(_ partition: ServicePartition, at position: FollowerPosition, rules: Validity.Rules) {
    self.partition = partition
    committed = position
    next = position.offset
    validity = Validity(epoch: position.epoch, rules: rules)
  }

  /// Takes the records that follow; those below `next` were taken before. A command whose decision is later than
  /// `bound` ends the taking.
  mutating func take(_ records: [ReadRecord], until bound: Timestamp?) {
    for record in records where record.offset >= next && stop == nil && !isFull {
      take(record, until: bound)
    }
  }

  private mutating func take(_ record: ReadRecord, until bound: Timestamp?) {
    next = record.offset + 1
    switch validity.feed(record.message, offset: record.offset, time: record.time) {
    case .pending: break
    case .void: hold(.void(record.message, offset: record.offset, stray: record.stray))
    case .moved(let message): hold(.moved(message, offset: record.offset))
    case .claim(let claim, let voided):
      let asides = held + voided.map(FollowerAside.voided) + [.claim(claim, offset: record.offset)]
      held = []
      append(Step(asides: asides, offset: next, epoch: validity.epoch, last: mark(claim, record)))
    case .command(let command):
      guard let decision = command.last else { return }
      if let bound, decision.message.time > bound {
        isFull = true
        return
      }
      let asides = held
      held = []
      append(
        Step(
          asides: asides, command: command, offset: next, epoch: validity.epoch, last: mark(decision.message, record)))
    }
  }

  private func mark(_ message: Message, _ record: ReadRecord) -> FollowerPosition.Mark {
    FollowerPosition.Mark(offset: record.offset, id: message.id)
  }

  private mutating func append(_ step: Step) { steps.append(step) }

  /// An aside moves the position only where no unfinished command stands before it.
  private mutating func hold(_ aside: FollowerAside) {
    if validity.pending.isEmpty {
      append(Step(asides: [aside], offset: next, epoch: validity.epoch))
    } else {
      held.append(aside)
    }
  }

  /// The steps were folded and committed.
  mutating func commit(at position: FollowerPosition) {
    committed = position
    steps.removeAll(keepingCapacity: true)
  }

  /// Reads no further; what stands before the step at `index` may still be folded.
  mutating func stop(_ stop: FollowerStop, before index: Int) {
    self.stop = stop
    steps.removeSubrange(index...)
    held = []
  }
}
