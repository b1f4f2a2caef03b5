package import EventLog
import Messaging

/// What reading records of the own partition led to.
package enum OwnerProgress: Sendable, Equatable {
  case read
  /// Another claim came first: claim again.
  case claimLost
  /// The own claim was read back: from now on it decides and publishes.
  case owns
  /// Another owner has claimed: it stopped deciding and publishing.
  case fenced
  /// The log holds another record at a sequence that the database holds too: set the database aside and read from the
  /// log's start. The core is of no use any more, but its `claims` are.
  case foreignHistory(sequence: Int64)
}

extension OwnerCore {
  /// Takes records of the own event partition in the order of their offsets. What counts and is in the outbox is
  /// marked; what counts and is not is folded, all of it in one transaction. Ends at the first record that leads to
  /// anything but `read`: go on at `nextOffset`. Also ends once `enough` says so of the state and the next offset.
  package func ingest(
    _ records: some Sequence<ReadRecord>, until enough: (OwnerState, Int64) -> Bool = { _, _ in false }
  ) throws -> OwnerProgress {
    do {
      var progress = OwnerProgress.read
      for record in records where record.offset >= nextOffset {
        if enough(state, nextOffset) { break }
        progress = try ingest(record)
        if progress != .read { break }
      }
      if case .foreignHistory = progress {
        isSpent = true
        rollBack()
      } else if !db.isAutocommit {
        try commit()
      }
      return progress
    } catch {
      isSpent = true
      rollBack()
      throw error
    }
  }

  /// As above, of records as they come from the log.
  package func ingest(_ records: some Sequence<Record>) throws -> OwnerProgress {
    let first = nextOffset
    return try ingest(records.lazy.filter { $0.offset >= first }.map(ReadRecord.init))
  }

  private func ingest(_ read: ReadRecord) throws -> OwnerProgress {
    nextOffset = read.offset + 1
    let progress: OwnerProgress
    switch validity.feed(read.message, offset: read.offset, time: read.time) {
    case .pending: return .read
    case .void: progress = passOver(read.message)
    case .claim(let message, let voided):
      counters.void += voided.count
      progress = meet(message)
    case .moved:
      try begin()
      state.commandPosition = 0
      progress = .read
    case .command(let command): progress = try reconcile(command)
    }
    if validity.pending.isEmpty {
      state.mark = nextOffset
      state.markEpoch = validity.epoch
      isMarkDirty = true
    }
    return progress
  }

  private func passOver(_ message: Message?) -> OwnerProgress {
    counters.void += 1
    guard status == .reading, let made = claims.made, made.id == message?.id else { return .read }
    return .claimLost
  }

  /// A valid claim.
  private func meet(_ claim: Message) -> OwnerProgress {
    claims.seen = max(claims.seen, validity.epoch)
    if claim.id == claims.made?.id {
      guard status == .reading else { return .read }
      // All before the claim is read: what the outbox still holds is not in the log as valid.
      status = .owning
      claims.owned = epoch
      sent = state.markedSequence
      fresh = Fresh()
      return .owns
    }
    let other = (try? JSON(parsing: claim.data)).flatMap(OwnerClaim.init)
    guard status == .owning || claims.isTaken(by: claim, other) else { return .read }
    status = .fenced(by: other)
    return .fenced
  }

  /// A whole valid command against what the database holds: by sequence and id.
  private func reconcile(_ command: [ValidRecord]) throws -> OwnerProgress {
    for record in command {
      guard record.sequence == state.markedSequence + 1 else {
        throw OwnerFault(
          "\(name): record \(record.sequence) of its partition stands behind record \(state.markedSequence): "
            + "the log has a gap")
      }
      if let due = unmarked.next {
        guard due.id == record.message.id || !rules.contains(.identity) else {
          guard status == .reading else { throw anotherHistory(record) }
          return .foreignHistory(sequence: record.sequence)
        }
        unmarked.removeFirst()
      } else {
        guard status == .reading || !rules.contains(.claimFirst) else { throw anotherHistory(record) }
        try begin()
        try fold(record.message, sequence: record.sequence)
        counters.folded += 1
      }
      state.markedSequence = record.sequence
      state.markedID = record.message.id
      sent = max(sent, record.sequence)
    }
    return .read
  }

  private func anotherHistory(_ record: ValidRecord) -> OwnerFault {
    OwnerFault(
      "\(name): record \(record.sequence) of its partition counts, but this owner, which holds the claim, did not "
        + "write it")
  }
}
