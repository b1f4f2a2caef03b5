import Contracts
package import EventLog
package import Messaging
package import SQLite

/// The follower's rules over one file, without threads or time: take records in, fold them in one transaction, and the
/// positions go with the effect. What is folded never ends inside a command.
///
/// `sequence == last + 1` is applied; `sequence <= last` with the same id is a duplicate; anything else, and an event
/// that cannot be applied, stops its partition before that command. The other partitions go on.
package final class FollowerCore<Effect: FollowerEffect> {
  package let effect: Effect
  /// Why the file should be built anew by this build; nil where it may go on.
  package let rebuildReason: String?
  private let db: Connection
  private var hasLargeCache = false
  private let rules: Validity.Rules
  private var lanes: [FollowerLane]
  private let index: [ServicePartition: Int]
  private let storePosition: Statement
  private let storeIdentity: Statement
  private let findIdentity: Statement
  private let storePassedOver: Statement

  /// Brings the file to this build's tables and reads its positions. Throws `StartupError` where it belongs to another
  /// installation or was folded by a newer build, `Migrator.Refusal` and `SQLiteError` otherwise.
  package init(
    _ db: Connection, installation: Installation, partitions: [ServicePartition], rules: Validity.Rules = .all,
    makeEffect: (Connection) throws -> Effect
  ) throws {
    self.db = db
    self.rules = rules
    // A commit that the loss of power takes back is lost as a whole, position and all, and is folded again.
    try db.execute("PRAGMA synchronous=NORMAL")
    // Most of its pages are of indexes that are written all over: the longer the log, the more often a page is changed
    // before it is copied back, at 64 MiB.
    try db.execute("PRAGMA wal_autocheckpoint=16000")
    try Effect.migrator.migrate(db)
    rebuildReason = try db.transaction {
      try installation.adopt(db)
      return try FollowerBuild.rebuildReason(db, Effect.self)
    }
    let positions = try FollowerPosition.all(db)
    lanes = partitions.map { FollowerLane($0, at: positions[$0] ?? FollowerPosition(), rules: rules) }
    index = Dictionary(uniqueKeysWithValues: partitions.enumerated().map { ($1, $0) })
    storePosition = try db.prepare(
      """
      INSERT INTO follower_position (service, partition, offset, epoch, sequence, last_offset, last_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT DO UPDATE SET offset = ?3, epoch = ?4, sequence = ?5, last_offset = ?6, last_id = ?7
      """)
    storeIdentity = try db.prepare(
      "INSERT INTO follower_identity (service, partition, first, ids) VALUES (?, ?, ?, ?)")
    findIdentity = try db.prepare(
      """
      SELECT substr(ids, (?3 - first) * 16 + 1, 16) FROM follower_identity
      WHERE service = ?1 AND partition = ?2 AND first <= ?3 ORDER BY first DESC LIMIT 1
      """)
    storePassedOver = try db.prepare(
      """
      INSERT INTO follower_passed_over (service, partition, type, sequence, records) VALUES (?, ?, ?, ?, 1)
      ON CONFLICT DO UPDATE SET records = records + 1
      """)
    effect = try makeEffect(db)
  }

  package var partitions: [ServicePartition] { lanes.map(\.partition) }

  /// What the file holds; nil for a partition that this core does not follow.
  package func position(of partition: ServicePartition) -> FollowerPosition? {
    index[partition].map { lanes[$0].committed }
  }
  /// The offset of the next record to hand to `take`; past the position where a command is unfinished.
  package func next(of partition: ServicePartition) -> Int64 { index[partition].map { lanes[$0].next } ?? 0 }
  /// Why the partition stands still, where it does.
  package func stop(of partition: ServicePartition) -> FollowerStop? { index[partition].flatMap { lanes[$0].stop } }
  /// Whether a command past the bound was met: no more records are taken of it.
  package func isFull(_ partition: ServicePartition) -> Bool { index[partition].map { lanes[$0].isFull } ?? true }

  /// Stops a partition for a reason that the shell found (the log is shorter than the position, say).
  package func stop(_ stop: FollowerStop) {
    guard let index = index[stop.partition], lanes[index].stop == nil else { return }
    lanes[index].stop(stop, before: lanes[index].steps.count)
  }

  /// Takes records in, in the order of their offsets; nothing is written yet. With a bound, commands decided later than
  /// it are left out.
  package func take(_ records: [Record], of partition: ServicePartition, until bound: Timestamp? = nil) {
    take(records.map(ReadRecord.init), of: partition, until: bound)
  }

  /// As above, of records whose envelopes were read before, on another thread perhaps.
  package func take(_ records: [ReadRecord], of partition: ServicePartition, until bound: Timestamp? = nil) {
    if let index = index[partition] { lanes[index].take(records, until: bound) }
  }

  /// Whether `fold` has anything to write.
  package var hasWork: Bool { lanes.contains { !$0.steps.isEmpty } }

  /// Folds what was taken, in one transaction, and says what it did. A command that cannot be applied stops its
  /// partition, and the rest is folded without it. Throws where the file cannot be written (a full disk): nothing is
  /// folded then, all is kept, and `fold` may be called again.
  @discardableResult
  package func fold(isCaughtUp: Bool = true) throws -> [FollowerFolded] {
    try setCache(isLarge: !isCaughtUp)
    while hasWork {
      do {
        var positions: [(Int, FollowerPosition)] = []
        var folded: [FollowerFolded] = []
        try db.transaction {
          for index in lanes.indices where !lanes[index].steps.isEmpty {
            var one = FollowerFolded(partition: lanes[index].partition)
            positions.append((index, try fold(lane: index, &one)))
            folded.append(one)
          }
          try effect.willCommit()
        }
        for (index, position) in positions { lanes[index].commit(at: position) }
        effect.didCommit(isCaughtUp: isCaughtUp)
        return folded
      } catch let failure as LaneFailure {
        effect.didRollBack()
        lanes[failure.lane].stop(failure.stop, before: failure.step)
      } catch {
        effect.didRollBack()
        throw error
      }
    }
    return []
  }

  /// Behind a backlog most pages of the indexes are written again and again: they stay in memory meanwhile.
  private func setCache(isLarge: Bool) throws {
    guard isLarge != hasLargeCache else { return }
    try db.execute("PRAGMA cache_size=\(isLarge ? -65_536 : -4000)")
    hasLargeCache = isLarge
  }

  /// A command that cannot be applied: undo the transaction and leave it out.
  private struct LaneFailure: Error {
    let lane: Int
    let step: Int
    let stop: FollowerStop
  }

  private func fold(lane number: Int, _ folded: inout FollowerFolded) throws -> FollowerPosition {
    let lane = lanes[number]
    let partition = lane.partition
    var position = lane.committed
    let first = position.sequence + 1
    var ids: [UInt8] = []
    for (at, step) in lane.steps.enumerated() {
      do {
        for aside in step.asides {
          if case .void = aside { folded.void += 1 }
          try effect.note(aside, of: partition)
        }
        for record in step.command {
          if try !fold(record, of: partition, &position, first, &ids) { folded.duplicates += 1 }
        }
      } catch let error as SQLiteError where error.isEnvironment {
        throw error
      } catch let stop as FollowerStop {
        throw LaneFailure(lane: number, step: at, stop: stop)
      }
      position.offset = step.offset
      position.epoch = step.epoch
      if let last = step.last { position.last = last }
    }
    folded.applied = Int(position.sequence - lane.committed.sequence)
    if !ids.isEmpty { try storeIdentity.run(partition.service, partition.partition, first, ids) }
    try storePosition.run(
      partition.service, partition.partition, position.offset, position.epoch, position.sequence,
      position.last?.offset, position.last?.id.description)
    return position
  }

  /// False for a duplicate.
  private func fold(
    _ record: ValidRecord, of partition: ServicePartition, _ position: inout FollowerPosition, _ first: Int64,
    _ ids: inout [UInt8]
  ) throws -> Bool {
    guard record.sequence == position.sequence + 1 else {
      guard record.sequence <= position.sequence, record.sequence > 0 else {
        throw FollowerStop(
          partition, at: record, "the record with sequence \(position.sequence + 1) is missing",
          advice: "restore the log from a copy that holds it")
      }
      let known = try identity(of: record.sequence, partition, first, ids)
      guard known == record.message.id || !rules.contains(.identity) else {
        throw FollowerStop(
          partition, at: record, "another record (id \(known?.description ?? "unknown")) was folded at this sequence",
          advice: "this file was folded from another history: rebuild it from the log")
      }
      try effect.note(.duplicate(record), of: partition)
      return false
    }
    do {
      try effect.apply(record, of: partition)
    } catch ContractError.unknownType(let type) {
      try storePassedOver.run(partition.service, partition.partition, type, record.sequence)
    } catch ContractError.newerVersion(let type) {
      throw FollowerStop(
        partition, at: record, "\(type) is newer than this build knows",
        advice: "run the newer build: it goes on at this record")
    } catch let error as SQLiteError where error.isEnvironment {
      throw error
    } catch {
      throw FollowerStop(
        partition, at: record, "it cannot be applied: \(error)",
        advice: "run a build that can apply it: it goes on at this record")
    }
    position.sequence = record.sequence
    withUnsafeBytes(of: record.message.id.high.bigEndian) { ids.append(contentsOf: $0) }
    withUnsafeBytes(of: record.message.id.low.bigEndian) { ids.append(contentsOf: $0) }
    return true
  }

  /// The id of what was folded at a sequence, in this transaction or before.
  private func identity(
    of sequence: Int64, _ partition: ServicePartition, _ first: Int64, _ ids: [UInt8]
  ) throws -> MessageID? {
    if sequence >= first {
      let start = Int(sequence - first) * 16
      return MessageID(bytes: Array(ids[start..<start + 16]))
    }
    return try findIdentity.first(partition.service, partition.partition, sequence) { MessageID(bytes: $0.bytes(0)) }
      ?? nil
  }
}

extension MessageID {
  /// From 16 bytes, the highest first; nil for another number of them.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: number(bytes[0..<8]), low: number(bytes[8..<16]))
  }
}
