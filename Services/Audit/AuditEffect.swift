import EventLog
import Foundation
import Messaging
package import SQLite
package import ServiceKit

/// Writes the history: every valid event and decision with its hash, what does not count to the side, and the indexes
/// by which people ask. It reads no event's meaning, so it knows every type there will be.
package final class AuditEffect: FollowerEffect {
  package static let migrator = AuditSchema.migrator
  package static let foldVersion = 2
  package static func knows(type: String) -> Bool { true }
  package static let tables = [
    ComparedTable(
      "record", key: ["service", "partition", "sequence"],
      columns: [
        "service", "partition", "sequence", "time", "workspace", "type", "id", "source", "subject", "actor",
        "correlation", "command", "epoch", "offset", "log_time", "data", "hash",
      ]),
    ComparedTable("aside", key: ["service", "partition", "offset", "kind"]),
    ComparedTable("mention", key: ["workspace", "entity", "service", "partition", "sequence"]),
    ComparedTable("entity", key: ["workspace", "service", "kind", "id"]),
    ComparedTable("entity_name", key: ["workspace", "key", "service", "kind", "id"]),
  ]

  /// Partitions whose history is not the one that the head file sealed: nothing is added to them.
  package private(set) var stops: [FollowerStop] = []

  private let head: HeadKeeper?
  private var ends: [ServicePartition: AuditHead.End]
  /// What `ends` was before the transaction under way.
  private var committed: [ServicePartition: AuditHead.End]
  private let addRecord: Statement
  private let addAside: Statement
  private let entities: EntityIndex

  /// `headPath` nil keeps no head file: for a fold beside the real one. `trouble` is told what is wrong with the head
  /// file, and nil once it is well again.
  package init(
    _ db: Connection, headPath: String?, trouble: @escaping @Sendable (String?) -> Void = { _ in }
  ) throws {
    ends = try AuditChainEnds.read(db)
    committed = ends
    addRecord = try db.prepare(
      """
      INSERT INTO record (service, partition, sequence, time, workspace, type, id, source, subject, actor,
        correlation, command, epoch, offset, log_time, data, hash)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    addAside = try db.prepare(
      """
      INSERT INTO aside (service, partition, offset, kind, type, id, sequence, epoch, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """)
    entities = try EntityIndex(db)
    guard let headPath else {
      head = nil
      return
    }
    let keeper = try HeadKeeper(headPath, database: db.path, trouble: trouble)
    head = keeper
    for (partition, sealed) in keeper.sealed.sorted(by: { $0.key < $1.key }) {
      guard let end = ends[partition], end.sequence >= sealed.sequence else { continue }
      let hash = try db.prepare("SELECT hash FROM record WHERE service = ? AND partition = ? AND sequence = ?")
        .first(partition.service, partition.partition, sealed.sequence) { $0.bytes(0) }
      if hash != sealed.hash { stops.append(Self.altered(partition, sealed.sequence)) }
    }
    keeper.stopped = Set(stops.map(\.partition))
    keeper.write(ends)
  }

  private static func altered(_ partition: ServicePartition, _ sequence: Int64) -> FollowerStop {
    FollowerStop(
      partition, at: nil, "the history up to \(partition.receipt(sequence)) is not the one that head.json sealed",
      advice: "see daybook history verify; daybook rebuild audit builds it anew from the log")
  }

  package func apply(_ record: ValidRecord, of partition: ServicePartition) throws {
    let message = record.message
    let hash = AuditChain.hash(message, after: ends[partition]?.hash ?? AuditChain.start)
    if let sealed = head?.sealed[partition], sealed.sequence == record.sequence, sealed.hash != hash {
      throw Self.altered(partition, record.sequence)
    }
    try addRecord.run(
      partition.service, partition.partition, record.sequence, message.time.milliseconds, message.workspace,
      message.type, message.id.description, message.source, message.subject, message.actor, message.correlationID,
      message.causationID?.description, message.epoch ?? 0, record.offset, record.logTime.milliseconds, message.data,
      hash)
    ends[partition] = AuditHead.End(sequence: record.sequence, hash: hash)
    try entities.index(message, record.sequence, partition)
  }

  package func note(_ aside: FollowerAside, of partition: ServicePartition) throws {
    switch aside {
    case .void(let message, let offset, let stray):
      try note("void", message, offset, message?.data ?? stray, partition)
    case .voided(let record): try note("unfinished", record.message, record.offset, record.message.data, partition)
    case .duplicate(let record): try note("duplicate", record.message, record.offset, record.message.data, partition)
    case .claim(let claim, let offset): try note("claim", claim, offset, claim.data, partition)
    case .moved(let moved, let offset): try note("moved", moved, offset, moved.data, partition)
    }
  }

  private func note(
    _ kind: String, _ message: Message?, _ offset: Int64, _ data: [UInt8], _ partition: ServicePartition
  ) throws {
    try addAside.run(
      partition.service, partition.partition, offset, kind, message?.type, message?.id.description, message?.sequence,
      message?.epoch, Array(data.prefix(64 << 10)))
  }

  package func didCommit(isCaughtUp: Bool) {
    committed = ends
    head?.writeUnlessRecent(ends)
  }

  package var isUnsettled: Bool { head?.isBehind ?? false }
  package func settle() { head?.write(committed) }

  package func didRollBack() { ends = committed }

  package func willClose() { head?.write(committed) }
}

/// The last record of every chain, as the file holds it.
enum AuditChainEnds {
  static func read(_ db: Connection) throws -> [ServicePartition: AuditHead.End] {
    var ends: [ServicePartition: AuditHead.End] = [:]
    try db.prepare(
      """
      SELECT r.service, r.partition, r.sequence, r.hash FROM record r
      JOIN (SELECT service, partition, max(sequence) AS sequence FROM record GROUP BY service, partition) last
        ON r.service = last.service AND r.partition = last.partition AND r.sequence = last.sequence
      """
    ).forEach { row in
      ends[ServicePartition(row.string(0), row.int(1))] = AuditHead.End(sequence: row.int64(2), hash: row.bytes(3))
    }
    return ends
  }
}
