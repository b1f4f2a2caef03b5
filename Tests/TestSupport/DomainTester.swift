import Contracts
package import EventLog
package import Messaging
package import SQLite
package import ServiceKit

/// Given–when–then for a service's rules: the real owner on a database in memory, its log an array.
///
///     let tester = try DomainTester<TasksDomain>()
///     let made = try tester.send("tasks.tag.create.v1", ["name": "urgent"])
///     #expect(made.isAccepted)
///     #expect(try tester.send("tasks.tag.create.v1", ["name": "URGENT"]).code == "tag-name-taken")
///     #expect(try tester.foldDifference() == nil)
///
/// Every command is decided in a batch of its own, published and read back. Not for use by two threads at once.
package final class DomainTester<D: Domain> {
  /// What came of one command.
  package struct Answer {
    package let decision: Decision
    package let events: [D.Event]
    /// The events' envelopes, then the decision's.
    package let messages: [Message]

    package var isAccepted: Bool { decision.isAccepted }
    package var isRepeat: Bool { decision.isRepeat }
    /// The code of a refusal: `tag-name-taken`; nil where it was accepted.
    package var code: String? { decision.answer["code"]?.string }
    /// The fields that an `invalid` names.
    package var fields: [String] {
      decision.answer["errors"]?.array?.compactMap { $0["field"]?.string } ?? []
    }
    /// The entity made or changed.
    package var entity: MessageID? { decision.answer["id"]?.string.flatMap(MessageID.init) }
    /// The types of the events, in order.
    package var types: [String] { events.map(\.type) }
    /// The sequence of the last event; of the decision where there is none.
    package var sequence: Int64 { messages.dropLast().last?.sequence ?? messages.last?.sequence ?? 0 }
  }

  /// The log's time of the next command; every command moves it on by a millisecond.
  package var now: Timestamp
  package private(set) var core: OwnerCore<D>
  /// The event partition.
  package private(set) var log: [Record] = []
  private var commandOffset: Int64 = 0
  private let partitionCount: Int

  /// An owner of partition 0; with one partition every workspace is on it.
  package init(now: Timestamp? = nil, partitionCount: Int = 1) throws {
    self.now = now ?? Timestamp(milliseconds: 1_780_000_000_000)
    self.partitionCount = partitionCount
    core = try Self.makeCore(partitionCount)
    try own()
  }

  private static func makeCore(_ partitionCount: Int) throws -> OwnerCore<D> {
    try OwnerCore<D>(
      OwnerFile.inMemory(D.self), partition: 0, partitionCount: partitionCount,
      clock: { Timestamp(milliseconds: 9_000_000_000_000) })
  }

  /// The database that holds the state.
  package var db: Connection { core.db }

  /// Sends one command and returns its decision and events.
  @discardableResult
  package func send(
    _ type: String, _ data: JSON, id: MessageID = .next(), workspace: String = Workspace.main, actor: String? = nil
  ) throws -> Answer {
    try send(type, bytes: data.bytes, id: id, workspace: workspace, actor: actor)
  }

  /// As above, with data that need not be JSON.
  @discardableResult
  package func send(
    _ type: String, bytes: [UInt8], id: MessageID = .next(), workspace: String = Workspace.main, actor: String? = nil
  ) throws -> Answer {
    let message = Message(
      id: id, source: "/test", type: type, time: now, workspace: workspace, actor: actor, data: bytes)
    guard let answer = try send(message.record) else { throw TesterError("the record was no command") }
    return answer
  }

  /// Sends a record as it is; nil where it was no command.
  @discardableResult
  package func send(_ record: NewRecord) throws -> Answer? {
    let record = Record(
      offset: commandOffset, time: now, key: record.key, headers: record.headers, value: record.value)
    commandOffset += 1
    now.milliseconds += 1
    guard try core.decide([record]) == 1 else { throw TesterError("the owner took no command") }
    let messages = try publish()
    guard let last = messages.last, last.type == Message.Kind.decided,
      let decision = Decision(try JSON(parsing: last.data))
    else { return nil }
    return Answer(
      decision: decision,
      events: try messages.dropLast().map { try D.Event(type: $0.type, data: JSON(parsing: $0.data)) },
      messages: messages)
  }

  /// Starts the owner anew on the same database.
  package func restart() throws {
    core = try OwnerCore<D>(
      core.db, partition: 0, partitionCount: partitionCount, clock: { Timestamp(milliseconds: 9_000_000_000_000) })
    guard try core.ingest(log) == .read else { throw TesterError("the log is another history") }
    try own()
  }

  /// The first difference between the database and a fold of its log from nothing; nil where `evolve` did while folding
  /// what it did while deciding.
  package func foldDifference() throws -> FoldDifference? {
    let folded = try refolded()
    for table in FoldTable.all(D.self) {
      if let difference = try table.difference(core.db, from: folded) { return difference }
      guard try table.digest(core.db) == table.digest(folded) else {
        throw TesterError("\(table.name): digests differ where rows are equal")
      }
    }
    return nil
  }

  /// A database that a fold of the log from nothing gives.
  package func refolded() throws -> Connection {
    let other = try Self.makeCore(partitionCount)
    _ = try other.ingest(log)
    return other.db
  }

  /// Rows of a query as texts, for comparison: NULL is `null`.
  package func rows(_ sql: String) throws -> [[String]] {
    let cursor = try core.db.prepare(sql).cursor()
    var rows: [[String]] = []
    while let row = try cursor.next() {
      rows.append(
        row.map { value in
          switch value {
          case .null: "null"
          case .integer(let value): "\(value)"
          case .real(let value): "\(value)"
          case .text(let text): text
          case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
          }
        })
    }
    return rows
  }

  private func own() throws {
    append([try core.claim()])
    guard try core.ingest(log.suffix(1)) == .owns else { throw TesterError("the claim was lost") }
  }

  private func publish() throws -> [Message] {
    let from = log.count
    while true {
      let records = try core.nextToPublish(atMost: 1000)
      if records.isEmpty { break }
      append(records)
    }
    guard try core.ingest(log[from...]) == .read, core.unmarkedCount == 0 else {
      throw TesterError("not everything was read back")
    }
    return try log[from...].map { try Message($0) }
  }

  private func append(_ records: [NewRecord]) {
    for record in records {
      log.append(
        Record(
          offset: Int64(log.count), time: now, key: record.key, headers: record.headers, value: record.value))
    }
  }
}

/// What went wrong with a test's own machinery.
package struct TesterError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
