import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// Two owners of one partition, copies of their databases, crashes, late records, restores and retries: a random walk
/// over every interleaving that the design allows, run by the real owner, claims, validity and follower. The reader
/// looks at the log after many of the steps, and any fault ends the walk.
final class SimulatedWorld {
  static let clock = Timestamp(milliseconds: 1_900_000_000_000)

  let rules: Validity.Rules
  var random: SeededRandom
  private(set) var log: [Record] = []
  private(set) var commands: [Record] = []
  /// Records of crashed owners that may still arrive.
  var late: [[NewRecord]] = []

  private let templates: Templates
  private var copies: [Connection] = []
  private var owners: [SimulatedOwner] = []
  private let reader: SimulatedReader
  private var sent: [NewRecord] = []

  /// Databases with their tables, to be copied: made once for many walks.
  struct Templates {
    let owner: Connection
    let reader: Connection

    init() throws {
      owner = try OwnerFile.inMemory(NamesDomain.self)
      reader = try Connection("", .memory)
      try NamesEffect.migrator.migrate(reader)
    }
  }

  init(seed: Int, without rule: Validity.Rules = [], _ templates: Templates) throws {
    random = SeededRandom(seed: seed)
    rules = Validity.Rules.all.subtracting(rule)
    self.templates = templates
    reader = try SimulatedReader(templates.reader.copyInMemory(), rules: rules)
    owners = [try SimulatedOwner(self), try SimulatedOwner(self)]
  }

  func emptyDatabase() throws -> Connection { try templates.owner.copyInMemory() }

  func append(_ record: NewRecord) {
    log.append(
      Record(
        offset: Int64(log.count), time: Self.clock, key: record.key, headers: record.headers, value: record.value))
  }

  /// Walks, then lets the faults stop: each owner in turn must then bring everything in order. Returns the number of
  /// records.
  func walk(steps: Int = 400) throws -> Int {
    try owners[0].start()
    for _ in 0..<steps { try step() }
    try settle()
    return log.count
  }

  private func step() throws {
    let owner = owners[Int.random(in: 0...1, using: &random)]
    switch Double.random(in: 0..<1, using: &random) {
    case ..<0.10: send()
    case ..<0.14 where !owner.isRunning: try owner.start()
    case ..<0.155 where owner.isRunning: owner.crash()
    case ..<0.17: copies.append(try owner.db.copyInMemory())
    case ..<0.18 where !owner.isRunning: owner.db = try restored()
    case ..<0.22 where !late.isEmpty: arriveLate()
    case ..<0.225 where owner.isRunning: try owner.fail()
    default:
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: try owner.read()
      case 2: try owner.work()
      case 3: try owner.publish()
      default: try owner.arrive()
      }
    }
    if random.chance(0.3) { try reader.follow(log) }
  }

  private func send() {
    let record: NewRecord
    if let again = sent.randomElement(using: &random), random.chance(0.2) {
      record = again
    } else {
      let verb = ["add", "add", "remove"][Int.random(in: 0...2, using: &random)]
      let name = ["a", "b", "c"][Int.random(in: 0...2, using: &random)]
      record =
        Message(
          id: .next(), source: "/test", type: "names.name.\(verb).v1", time: Self.clock, workspace: "main",
          data: JSON.object(["name": .string(name), "touches": JSON(Int.random(in: 0...2, using: &random))]).bytes
        ).record
      sent.append(record)
    }
    commands.append(
      Record(
        offset: Int64(commands.count), time: Self.clock, key: record.key, headers: record.headers,
        value: record.value))
  }

  /// A database as it was once, or none.
  private func restored() throws -> Connection {
    guard let copy = copies.randomElement(using: &random), random.chance(0.7) else { return try emptyDatabase() }
    return try copy.copyInMemory()
  }

  private func arriveLate() {
    let index = Int.random(in: 0..<late.count, using: &random)
    if late[index].isEmpty { late.remove(at: index) } else { append(late[index].removeFirst()) }
  }

  private func settle() throws {
    for owner in owners where owner.isRunning { owner.crash() }
    for record in late.joined() { append(record) }
    late = []
    try settle(owners[0])
    owners[0].crash()
    late = []
    try settle(owners[1])
  }

  /// One owner alone, until nothing is left to do.
  private func settle(_ owner: SimulatedOwner) throws {
    try owner.start()
    for _ in 0..<5_000 {
      try owner.read()
      try owner.work()
      try owner.publish()
      try owner.arrive()
      if owner.isQuiet { break }
    }
    try reader.follow(log)
    try judge(owner)
  }

  private func judge(_ owner: SimulatedOwner) throws {
    guard let core = owner.core, core.status == .owning else { throw Fault("no owner after the faults") }
    guard core.unmarkedCount == 0 else { throw Fault("the outbox never empties") }
    for record in sent {
      guard let id = (try? Message(record.at(0)))?.id, reader.answers[id] != nil else {
        throw Fault("commands never answered")
      }
    }
    let names = try core.db.prepare("SELECT name FROM name").map { $0.string(0) }
    guard Set(names) == reader.names, core.state.lastSequence == reader.lastSequence else {
      throw Fault("owner and reader differ")
    }
    let fold = try OwnerCore<NamesDomain>(emptyDatabase(), partition: 0, partitionCount: 1)
    _ = try fold.ingest(log)
    for table in FoldTable.all(NamesDomain.self) {
      if let difference = try table.difference(core.db, from: fold.db) {
        throw Fault("the owner is not the fold of its events: \(difference)")
      }
    }
  }
}

extension NewRecord {
  /// The record as it would stand at an offset.
  func at(_ offset: Int64) -> Record {
    Record(offset: offset, time: SimulatedWorld.clock, key: key, headers: headers, value: value)
  }
}
