import Foundation
package import Messaging
import SQLite
package import ServiceKit

/// What a verification found.
package struct AuditVerification: Sendable, Equatable {
  /// Records looked at.
  package var records = 0
  package var ends: [ServicePartition: AuditHead.End] = [:]
  /// The first thing that does not hold; nil where all does.
  package var fault: AuditFault?
  package var holds: Bool { fault == nil }

  /// `{"holds","records","heads":[…],"fault":null|{"receipt","type","subject","time","reason","detail"}}`.
  package var json: JSON {
    [
      "holds": JSON(holds), "records": JSON(records), "heads": AuditHead(ends).json["heads"] ?? [],
      "fault": fault?.json ?? .null,
    ]
  }
}

/// The first record that does not hold.
package struct AuditFault: Sendable, Equatable, CustomStringConvertible {
  /// Nil where it is not a record's fault (the head file is missing).
  package var receipt: Receipt?
  package var type: String?
  package var subject: String?
  package var time: Timestamp?
  /// One clause.
  package var reason: String

  package var description: String {
    guard let receipt else { return reason }
    var name = "\(receipt)"
    if let type { name += " (\(type)\(subject.map { ", \($0)" } ?? ""))" }
    return "\(name): \(reason)"
  }

  var json: JSON {
    [
      "receipt": JSON(receipt?.description), "type": JSON(type), "subject": JSON(subject), "time": JSON(time),
      "reason": .string(reason), "detail": .string(description),
    ]
  }
}

/// Recomputes every hash and compares the ends with the head file.
package enum AuditVerifier {
  /// Where the audit of a data directory is; how many partitions it follows does not matter here.
  private static func plan(_ data: String) -> FollowerPlan { FollowerPlan("audit", data: data, partitionCount: 1) }

  /// As below, and holds the audit's lock for the time: a `StartupError` names the process that runs it.
  package static func verifyStopped(data: String, holder: String) throws -> AuditVerification {
    let plan = Self.plan(data)
    guard FileManager.default.fileExists(atPath: plan.path) else { return try verify(data: data) }
    let lock = try plan.lock(for: holder)
    defer { lock.release() }
    return try verify(data: data)
  }

  /// Verifies the audit of a stopped data directory. Throws a `StartupError` where there is none, `Migrator.Refusal`
  /// where it is not this build's.
  package static func verify(data: String) throws -> AuditVerification {
    let plan = Self.plan(data)
    guard FileManager.default.fileExists(atPath: plan.path) else {
      throw StartupError("there is no audit in \(plan.folder); give the data directory of a Daybook that has run")
    }
    do {
      try AuditEffect.migrator.checkHeader(plan.path)
      let db = try Connection(plan.path, .reading)
      defer { db.close() }
      return try db.snapshot { try verify(db, headPath: AuditHead.path(in: plan.folder)) }
    } catch let error as SQLiteError {
      return AuditVerification(fault: AuditFault(reason: "the history cannot be read: \(error)"))
    }
  }

  /// Verifies in the snapshot that the caller opened. The head file is read afterwards where the audit is stopped, and
  /// must be read before (`head`) where it runs: the database may be ahead of it, never behind.
  static func verify(_ db: Connection, headPath: String) throws -> AuditVerification {
    let head: AuditHead?
    do {
      head = try AuditHead.read(headPath)
    } catch {
      return AuditVerification(fault: AuditFault(reason: "\(error)"))
    }
    return try verify(db, head: head)
  }

  /// Throws `ReaderPool.Closed` once `goesOn` says no: the process stops.
  static func verify(
    _ db: Connection, head: AuditHead?, goesOn: () -> Bool = { true }
  ) throws -> AuditVerification {
    var walk = Walk(sealed: head?.ends ?? [:])
    do {
      // In the order of the table itself, so that no index can hide a row.
      try db.prepare(
        """
        SELECT service, partition, sequence, time, workspace, type, id, source, subject, actor, correlation, command,
          data, hash
        FROM record NOT INDEXED ORDER BY arrival
        """
      ).forEach(while: { walk.result.fault == nil && goesOn() }) { walk.check($0) }
    } catch let error as SQLiteError {
      walk.result.fault = AuditFault(receipt: walk.last, reason: "the file cannot be read behind this record: \(error)")
    }
    guard goesOn() else { throw ReaderPool.Closed() }
    walk.finish(hasHead: head != nil)
    if walk.result.holds { walk.result.fault = try indexFault(db) }
    return walk.result
  }

  /// An index that does not agree with its table hides records from queries.
  private static func indexFault(_ db: Connection) throws -> AuditFault? {
    let found = try db.prepare("PRAGMA integrity_check(1)").first { $0.string(0) } ?? "ok"
    return found == "ok" ? nil : AuditFault(reason: "the file is damaged: \(found)")
  }

  private struct Walk {
    let sealed: [ServicePartition: AuditHead.End]
    var result = AuditVerification()
    var last: Receipt?

    mutating func check(_ row: borrowing Row) {
      let partition = ServicePartition(row.string(0), row.int(1))
      let sequence = row.int64(2)
      let receipt = partition.receipt(sequence)
      let message = Message(
        id: MessageID(row.string(6)) ?? MessageID(high: 0, low: 0), source: row.string(7), type: row.string(5),
        subject: row.stringOrNil(8), time: Timestamp(milliseconds: row.int64(3)), workspace: row.string(4),
        actor: row.stringOrNil(9), correlationID: row.stringOrNil(10),
        causationID: row.stringOrNil(11).flatMap(MessageID.init), sequence: sequence, data: row.bytes(12))
      let end = result.ends[partition]
      let expected = (end?.sequence ?? 0) + 1
      func fault(_ reason: String) -> AuditFault {
        AuditFault(
          receipt: receipt, type: message.type, subject: message.subject, time: message.time, reason: reason)
      }
      guard sequence == expected else {
        result.fault =
          sequence > expected
          ? AuditFault(receipt: partition.receipt(expected), reason: "this record is missing")
          : fault("this record stands a second time")
        return
      }
      let hash = AuditChain.hash(message, after: end?.hash ?? AuditChain.start)
      // The identity is hashed in its one written form: a text that is no UUID was altered.
      guard hash == row.bytes(13), message.id.description == row.string(6),
        message.causationID?.description == row.stringOrNil(11)
      else {
        result.fault = fault("it is not what was recorded: its hash does not hold")
        return
      }
      if let seal = sealed[partition], seal.sequence == sequence, seal.hash != hash {
        result.fault = fault("the history up to this record is not the one that head.json sealed")
        return
      }
      result.ends[partition] = AuditHead.End(sequence: sequence, hash: hash)
      result.records += 1
      last = receipt
    }

    mutating func finish(hasHead: Bool) {
      guard result.fault == nil else { return }
      guard hasHead || result.records == 0 else {
        result.fault = AuditFault(reason: "head.json is missing, so a history that was cut off would not show")
        return
      }
      for (partition, seal) in sealed.sorted(by: { $0.key < $1.key }) {
        let end = result.ends[partition]?.sequence ?? 0
        guard end < seal.sequence else { continue }
        result.fault = AuditFault(
          receipt: partition.receipt(end + 1),
          reason: "this record is missing: the history ends at \(end), but head.json sealed \(seal.sequence)")
        return
      }
    }
  }
}
