import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite struct OwnerRecoveryTests {
  let stage = OwnerStage()

  @Test func `a rolled back transaction leaves no gap, and the commands before the failing one stand`() throws {
    let owner = try stage.owner(try stage.database())
    stage.send("add", "a")
    stage.send("fail", "b", touches: 3)
    let last = stage.send("add", "c")
    #expect(try owner.decide(stage.commands[...]) == 1)
    #expect(throws: OwnerFault.self) { try owner.decide(stage.commands[1...]) }
    try stage.publish(owner)
    // The command is mended; nothing of it was left behind.
    stage.commands[1] = Record(
      offset: 1, time: stage.now, key: stage.commands[0].key, headers: stage.commands[0].headers, value: [])
    let mended = try stage.owner(owner.db)
    try stage.decide(mended)
    try stage.publish(mended)
    #expect(stage.validSequences() == Array(1...5))
    #expect(try stage.decisions(of: last).map(\.isAccepted) == [true])
    #expect(try stage.foldDifference(mended.db) == nil)
  }

  @Test func `a command that fails after it took sequences gives them back`() throws {
    let owner = try stage.owner(try stage.database())
    stage.send("add", "a")
    // Writing the second event of "b" fails, when the first one has its sequence already.
    try owner.db.execute(
      "CREATE TRIGGER broken BEFORE UPDATE ON name WHEN NEW.name = 'b' BEGIN SELECT RAISE(ABORT, 'broken'); END")
    stage.send("add", "b", touches: 3)
    #expect(try owner.decide(stage.commands[...]) == 1)
    #expect(throws: OwnerFault.self) { try owner.decide(stage.commands[1...]) }
    try owner.db.execute("DROP TRIGGER broken")
    stage.send("add", "c")
    let mended = try stage.owner(owner.db)
    try stage.decide(mended)
    try stage.publish(mended)
    #expect(stage.validSequences() == Array(1...9))
    #expect(try stage.foldDifference(mended.db) == nil)
  }

  @Test func `what was committed but not published before a crash is published by the next start, in order`() throws {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a", touches: 2)
    stage.send("remove", "a")
    try stage.decide(first)
    let second = try stage.owner(first.db)
    try stage.publish(second)
    #expect(stage.validSequences() == Array(1...6))
    #expect(second.unmarkedCount == 0)
    #expect(try stage.foldDifference(second.db) == nil)
  }

  @Test(arguments: 0...6)
  func `a crash after any part of the outbox was appended, and before it was marked, changes nothing`(
    part: Int
  ) throws {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a", touches: 2)
    stage.send("remove", "a")
    try stage.decide(first)
    stage.append(try first.nextToPublish(atMost: part))
    let second = try stage.owner(first.db)
    try stage.publish(second)
    #expect(stage.validSequences() == Array(1...6))
    #expect(try stage.foldDifference(second.db) == nil)
  }

  @Test func `a record of the dead owner that lands behind the next claim is passed over and counted`() throws {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(first)
    let late = try first.nextToPublish(atMost: 10)
    let second = try stage.owner(first.db)
    stage.append(late)
    try stage.publish(second)
    stage.append(late)
    _ = try second.ingest(stage.log)
    #expect(second.counters.void == 4)
    #expect(stage.validSequences() == [1, 2])
    #expect(try stage.foldDifference(second.db) == nil)
  }

  @Test func `half of ten thousand events in the log are voided by the next claim, and the command comes once`() throws
  {
    let first = try stage.owner(try stage.database())
    let id = stage.send("add", "a", touches: 9_999)
    try stage.decide(first)
    var records: [NewRecord] = []
    while records.count < 5_000 { records += try first.nextToPublish(atMost: 1000) }
    stage.append(Array(records.prefix(5_000)))
    // The machine is lost with its database.
    let second = try stage.owner(try stage.database())
    #expect(second.counters.void == 5_000)
    #expect(second.state.lastSequence == 0 && second.state.commandPosition == 0)
    try stage.decide(second)
    try stage.publish(second)
    #expect(stage.validSequences() == Array(1...10_001))
    #expect(try stage.decisions(of: id).count == 1)
    #expect(try stage.foldDifference(second.db) == nil)
  }

  @Test func `a database that is an older copy, or gone, folds the tail, refusals too, before its first command`()
    throws
  {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(first)
    try stage.publish(first)
    try first.flushMark()
    let copy = try first.db.copyInMemory()
    let refused = stage.send("add", "a")
    stage.send("remove", "a")
    try stage.decide(first)
    try stage.publish(first)
    for db in [copy, try stage.database()] {
      let restored = try stage.owner(db)
      stage.send("add", "a", id: refused)
      try stage.decide(restored)
      try stage.publish(restored)
      let decisions = try stage.decisions(of: refused)
      #expect(decisions.map { $0.answer["code"] } == Array(repeating: "name-taken", count: decisions.count))
      #expect(decisions.last?.isRepeat == true)
      #expect(try stage.foldDifference(db) == nil)
    }
  }

  @Test func `of two owners on copies of one database only the one with the claim is followed`() throws {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(first)
    try stage.publish(first)
    try first.flushMark()
    let second = try stage.owner(try first.db.copyInMemory())
    // The first one slept; it goes on with another command than the second.
    let commands = stage.commands
    let told = stage.send("remove", "a")
    try stage.decide(second)
    try stage.publish(second)
    stage.commands = commands
    let untold = stage.send("add", "b")
    try stage.decide(first)
    stage.append(try first.nextToPublish(atMost: 10))
    #expect(try first.ingest(stage.log) == .fenced)
    #expect(first.status == .fenced(by: second.claims.own))
    #expect(try first.decide(stage.commands[...]) == 0)
    #expect(try first.nextToPublish(atMost: 10).isEmpty)
    _ = try second.ingest(stage.log)
    #expect(try stage.decisions(of: told).count == 1)
    #expect(try stage.decisions(of: untold).isEmpty)
    // Started again it finds another history than its own.
    let again = try stage.reading(first.db)
    #expect(try again.ingest(stage.log) == .foreignHistory(sequence: 3))
    #expect(try stage.foldDifference(second.db) == nil)
  }

  @Test func `an owner that finds a gap, or what it did not write, stops`() throws {
    let owner = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(owner)
    var records = try owner.nextToPublish(atMost: 10)
    let kept = stage.log
    stage.append([records[1]])
    #expect(throws: OwnerFault.self) { try owner.ingest(stage.log) }

    stage.log = kept
    let again = try stage.reading(owner.db)
    _ = try again.ingest(stage.log)
    stage.append([try again.claim()])
    #expect(try again.ingest(stage.log) == .owns)
    records = try again.nextToPublish(atMost: 10)
    for index in records.indices {
      records[index].headers = records[index].headers.map {
        $0.name == "ce_id" ? Header("ce_id", MessageID.next().description) : $0
      }
    }
    stage.append(records)
    #expect(throws: OwnerFault.self) { try again.ingest(stage.log) }
  }

  @Test func `two claims of one epoch: the first counts, the other claims again`() throws {
    let (a, b) = (try stage.reading(try stage.database()), try stage.reading(try stage.database()))
    stage.append([try a.claim(), try b.claim()])
    #expect(try a.ingest(stage.log) == .owns)
    #expect(try b.ingest(stage.log) == .claimLost)
    stage.append([try b.claim()])
    #expect(try b.ingest(stage.log) == .owns)
    #expect(try a.ingest(stage.log) == .fenced)
  }

  @Test func `a moved log begins its commands at 0`() throws {
    let owner = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(owner)
    try stage.publish(owner)
    var moved = Message(
      id: .next(), source: "/daybook/names", type: Message.Kind.moved, time: stage.now, workspace: "", epoch: 1,
      data: Array("{}".utf8))
    stage.append([moved.record])
    moved.epoch = 7
    stage.append([moved.record])
    stage.commands = []
    let id = stage.send("add", "b")
    let next = try stage.owner(try stage.database())
    #expect(next.state.commandPosition == 0)
    try stage.decide(next)
    try stage.publish(next)
    #expect(try stage.decisions(of: id).map(\.isAccepted) == [true])
    #expect(try stage.foldDifference(next.db) == nil)
  }

  @Test func `the outbox is published from the file where it does not fit in memory, in order`() throws {
    let owner = try stage.owner(try stage.database())
    for index in 0..<30 { stage.send("add", "n\(index)", touches: 400) }
    try stage.decide(owner)
    #expect(owner.unmarkedCount == 30 * 402)
    try stage.publish(owner)
    #expect(stage.validSequences() == Array(1...Int64(30 * 402)))
    #expect(try stage.foldDifference(owner.db) == nil)
    #expect(try owner.db.prepare("SELECT count(*) FROM outbox").first { $0.int(0) } == 12_060)
    try owner.flushMark()
    #expect(try owner.db.prepare("SELECT count(*) FROM outbox").first { $0.int(0) } == 0)
  }

  @Test func `an owner that begins anew in one run does not claim against another that came meanwhile`() throws {
    let first = try stage.owner(try stage.database())
    stage.send("add", "a")
    try stage.decide(first)
    try stage.publish(first)
    let second = try stage.owner(try stage.database())
    // The first one's delivery failed before it read of the second.
    var claims = first.claims
    claims.withdraw()
    let again = try OwnerStage.Core(first.db, partition: 0, partitionCount: 1, claims: claims)
    #expect(try again.ingest(stage.log) == .fenced)
    #expect(again.status == .fenced(by: second.claims.own))
    // Started anew it does claim.
    _ = try stage.owner(first.db)
    #expect(try second.ingest(stage.log) == .fenced)
  }

  @Test func `no claim is made above the highest epoch`() throws {
    var claim = Message(
      id: .next(), source: "/daybook/names", type: Message.Kind.claimed, time: stage.now, workspace: "",
      epoch: Int64.max, data: Array("{}".utf8))
    claim.subject = "partition/0"
    stage.append([claim.record])
    #expect(throws: OwnerFault.self) { _ = try stage.owner(try stage.database()) }
  }
}
