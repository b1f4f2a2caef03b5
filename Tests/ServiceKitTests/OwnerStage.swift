import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// A command topic and an event partition as arrays, and owners on databases in memory, moved by hand.
final class OwnerStage {
  typealias Core = OwnerCore<NamesDomain>

  var log: [Record] = []
  var commands: [Record] = []
  var now = Timestamp(milliseconds: 1_780_000_000_000)

  func database() throws -> Connection { try OwnerFile.inMemory(NamesDomain.self) }

  /// An owner that has read the log to its end and whose claim was read back.
  func owner(_ db: Connection) throws -> Core {
    let core = try reading(db)
    guard try core.ingest(log) == .read else { throw TesterError("the log holds another history") }
    append([try core.claim()])
    guard try core.ingest(log) == .owns else { throw TesterError("the claim was lost") }
    return core
  }

  /// An owner that has read nothing yet.
  func reading(_ db: Connection) throws -> Core {
    try Core(db, partition: 0, partitionCount: 1, clock: { Timestamp(milliseconds: 9_000_000_000_000) })
  }

  @discardableResult
  func send(_ verb: String, _ name: String, touches: Int64 = 0, id: MessageID = .next()) -> MessageID {
    let message = Message(
      id: id, source: "/test", type: "names.name.\(verb).v1", time: now, workspace: "main",
      data: JSON.object(["name": .string(name), "touches": .integer(touches)]).bytes)
    send(message.record)
    return id
  }

  func send(_ record: NewRecord) {
    now.milliseconds += 1
    commands.append(
      Record(
        offset: Int64(commands.count), time: now, key: record.key, headers: record.headers, value: record.value))
  }

  /// Decides all commands that the core has not decided yet.
  func decide(_ core: Core) throws {
    var rest = commands.filter { $0.offset >= core.state.commandPosition }[...]
    while !rest.isEmpty { rest = rest.dropFirst(try core.decide(rest)) }
  }

  func append(_ records: [NewRecord]) {
    for record in records {
      log.append(
        Record(offset: Int64(log.count), time: now, key: record.key, headers: record.headers, value: record.value))
    }
  }

  /// Publishes and reads back everything.
  func publish(_ core: Core) throws {
    while true {
      let records = try core.nextToPublish(atMost: 100)
      if records.isEmpty { break }
      append(records)
    }
    _ = try core.ingest(log)
  }

  /// What a reader that applies the rule sees: whole commands, in order.
  func valid() -> [[ValidRecord]] {
    var validity = Validity()
    return log.compactMap { if case .command(let command) = validity.feed($0) { command } else { nil } }
  }

  func validMessages() -> [Message] { valid().flatMap { $0.map(\.message) } }
  func validSequences() -> [Int64] { valid().flatMap { $0.map(\.sequence) } }

  /// The valid decisions of a command, in order.
  func decisions(of id: MessageID) throws -> [Decision] {
    try validMessages().filter { $0.type == Message.Kind.decided }
      .compactMap { Decision(try JSON(parsing: $0.data)) }.filter { $0.command == id }
  }

  /// The difference between a database and a fold of the log from nothing.
  func foldDifference(_ db: Connection) throws -> FoldDifference? {
    let fold = try reading(try database())
    _ = try fold.ingest(log)
    for table in FoldTable.all(NamesDomain.self) {
      if let difference = try table.difference(db, from: fold.db) { return difference }
    }
    return nil
  }
}
