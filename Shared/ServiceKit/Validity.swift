package import EventLog
package import Messaging

/// A valid event or decision, where it stands in the log.
package struct ValidRecord: Sendable {
  package let message: Message
  package let offset: Int64
  /// When the log took it.
  package let logTime: Timestamp
  package init(message: Message, offset: Int64, logTime: Timestamp) {
    self.message = message
    self.offset = offset
    self.logTime = logTime
  }
  /// Set on every valid event and decision.
  package var sequence: Int64 { message.sequence ?? 0 }
}

/// The rule that says which records of an event partition count: a record counts only if it carries the epoch of the
/// last valid claim before it, and a command counts only as a whole, up to its decision. Every reader applies it.
///
/// Feed records in the order of their offsets. A value: store `epoch` with a position that stands directly behind a
/// decision or a claim, and a reader can go on from there.
package struct Validity: Sendable {
  /// The rules, so that a simulation can leave one out and see what it prevents. Everything else uses `all`.
  package struct Rules: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let epoch = Rules(rawValue: 1)
    package static let claimTie = Rules(rawValue: 2)
    package static let void = Rules(rawValue: 4)
    package static let readBack = Rules(rawValue: 8)
    package static let whole = Rules(rawValue: 16)
    package static let identity = Rules(rawValue: 32)
    package static let decisions = Rules(rawValue: 64)
    package static let claimFirst = Rules(rawValue: 128)
    package static let all: Rules = [epoch, claimTie, void, readBack, whole, identity, decisions, claimFirst]
  }

  /// What a record turned out to be.
  package enum Verdict: Sendable {
    /// A valid claim; it voids these records of a command whose decision never came.
    case claim(Message, voided: [ValidRecord])
    /// Part of a command whose decision is not there yet.
    case pending
    /// A whole command: its events, then its decision. A position directly behind it may be stored.
    case command([ValidRecord])
    /// Valid, without a sequence: the history was moved to another log; command positions start at 0 again.
    case moved(Message)
    /// It does not count: another epoch, a claim that lost, or no message at all.
    case void
  }

  /// The epoch of the last valid claim; 0 before the first.
  package private(set) var epoch: Int64
  package private(set) var pending: [ValidRecord] = []
  private let rules: Rules

  package init(epoch: Int64 = 0, rules: Rules = .all) {
    self.epoch = epoch
    self.rules = rules
  }

  package mutating func feed(_ record: Record) -> Verdict {
    feed(try? Message(record), offset: record.offset, time: record.time)
  }

  /// As above, with the record's message read before, on another thread perhaps; nil where it is none.
  package mutating func feed(_ message: Message?, offset: Int64, time: Timestamp) -> Verdict {
    guard let message, let epoch = message.epoch else { return .void }
    if message.isClaim {
      guard epoch > self.epoch || !rules.contains(.claimTie) else { return .void }
      self.epoch = max(epoch, self.epoch)
      guard rules.contains(.void) else { return .claim(message, voided: []) }
      defer { pending = [] }
      return .claim(message, voided: pending)
    }
    guard epoch == self.epoch || !rules.contains(.epoch) else { return .void }
    if message.type == Message.Kind.moved { return .moved(message) }
    guard message.sequence != nil else { return .void }
    pending.append(ValidRecord(message: message, offset: offset, logTime: time))
    guard message.endsCommand || !rules.contains(.whole) else { return .pending }
    defer { pending = [] }
    return .command(pending)
  }
}
