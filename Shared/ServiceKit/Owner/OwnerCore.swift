package import EventLog
package import Messaging
package import SQLite

/// One owner of one partition, as a machine that is moved step by step: no threads, no waiting. `OwnerService` feeds it
/// from the log; tests and the simulation do so by hand.
///
/// It starts by `reading` its own event partition from its mark on. Read up to the end, it claims (`claim`); once that
/// claim is read back as valid it is `owning`: it decides, and hands over its outbox. A valid foreign claim after that
/// leaves it `fenced` for good, also where it was about to claim anew. Any error that a method throws ends it: what was committed stands.
///
/// Not for use by two threads at once. It owns the writing connection.
package final class OwnerCore<D: Domain> {
  package enum Status: Sendable, Equatable {
    case reading
    case owning
    case fenced(by: OwnerClaim?)
  }

  /// The name of its partition for logs and receipts: `tasks/3`.
  package let name: String
  package let partition: Int
  package let db: Connection
  package internal(set) var status = Status.reading
  /// As last committed.
  package internal(set) var state: OwnerState
  package internal(set) var claims: OwnerClaims
  /// The offset of the next record to read in the own event partition.
  package internal(set) var nextOffset: Int64
  package var counters = OwnerCounters()

  let domain: D
  let partitionCount: Int
  let rules: Validity.Rules
  let clock: () -> Timestamp
  let logger: Logger
  let source = "/daybook/\(D.service)"
  let statements: OwnerStatements

  var validity: Validity
  /// The outbox's sequences and ids in order: what is not read back yet.
  var unmarked: Unmarked
  /// The sequence handed over last to be published.
  var sent: Int64
  /// Records behind `sent` that are still in memory; where it is empty the outbox table is read.
  var fresh = Fresh()
  /// Whether mark and outbox of the file are behind those in memory. The next transaction brings them up.
  var isMarkDirty = false
  /// Whether memory may be ahead of the file in more than the mark: then nothing is stored any more.
  var isSpent = false
  /// The last marked sequence in the file.
  var flushed: Int64

  /// Takes over a connection whose file has been brought to this build's schema (`OwnerFile`).
  package init(
    _ db: Connection, partition: Int, partitionCount: Int, claims: OwnerClaims = OwnerClaims(own: .new()),
    rules: Validity.Rules = .all, clock: @escaping () -> Timestamp = Timestamp.now, logger: Logger = .silent
  ) throws {
    self.db = db
    self.partition = partition
    self.partitionCount = partitionCount
    self.claims = claims
    self.rules = rules
    self.clock = clock
    self.logger = logger
    name = "\(D.service)/\(partition)"
    domain = try D(db)
    statements = try OwnerStatements(db)
    state = try OwnerState.read(db)
    unmarked = try Unmarked(db)
    validity = Validity(epoch: state.markEpoch, rules: rules)
    nextOffset = state.mark
    sent = state.markedSequence
    flushed = state.markedSequence
    self.claims.seen = max(claims.seen, state.markEpoch)
  }

  /// Closes the connection; the core is of no use after it.
  package func close() { db.close() }

  /// Whether another owner took over.
  package var isFenced: Bool { if case .fenced = status { true } else { false } }

  /// The epoch of its last claim.
  package var epoch: Int64 { claims.made?.epoch ?? 0 }

  /// The next claim, to be appended to the own event partition by a new writer. From now on nothing is decided or
  /// published until it is read back.
  package func claim() throws(OwnerFault) -> NewRecord {
    let message = try claims.next(source: source, partition: partition, now: clock())
    status = rules.contains(.claimFirst) ? .reading : .owning
    return message.record
  }
}

/// What an owner counted since it was made.
package struct OwnerCounters: Sendable, Equatable {
  package var accepted = 0
  package var refused = 0
  package var repeated = 0
  package var unreadable = 0
  package var events = 0
  /// Records of the own partition that did not count.
  package var void = 0
  /// Records that were folded in: decided by another run or an earlier state of this file.
  package var folded = 0
}

/// Why an owner stops for good: one plain sentence. Its database and the log stay as they are.
package struct OwnerFault: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// The sequences and ids of the outbox, in order and without gaps; the first goes as its record is read back.
struct Unmarked {
  private var ids: [MessageID] = []
  private var first = 0
  private var firstSequence: Int64 = 0

  init(_ db: Connection) throws {
    try db.prepare("SELECT sequence, id FROM outbox ORDER BY sequence").forEach { row in
      guard let id = MessageID(row.string(1)) else { throw OwnerFault("\(db.path): an id in the outbox is no UUID") }
      append(row.int64(0), id)
    }
  }

  var isEmpty: Bool { first == ids.count }
  var count: Int { ids.count - first }
  /// The record that is due next.
  var next: (sequence: Int64, id: MessageID)? { isEmpty ? nil : (firstSequence, ids[first]) }

  mutating func append(_ sequence: Int64, _ id: MessageID) {
    if isEmpty {
      ids.removeAll(keepingCapacity: true)
      first = 0
      firstSequence = sequence
    }
    ids.append(id)
  }

  mutating func removeFirst() {
    first += 1
    firstSequence += 1
    if first > 4096, first * 2 > ids.count {
      ids.removeFirst(first)
      first = 0
    }
  }
}
