import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OwnerServiceTests {
  typealias Owner = RunningOwner<NamesDomain>

  let directory: TemporaryDirectory
  let log: EmbeddedLog
  let events = TopicPartition(Topic.events("names"), 0)
  let commands = TopicPartition(Topic.commands("names"), 0)
  let lines = LogLines()

  init() throws {
    directory = try TemporaryDirectory()
    log = try EmbeddedLog(directory: directory.file("log"))
  }

  func start(_ data: String = "data", log: (any EventLog)? = nil) async throws -> Owner {
    var options = OwnerService<NamesDomain>.Options()
    options.patience = .zero
    return try await Owner(log: log ?? self.log, data: directory.file(data), options: options, logger: lines.logger)
  }

  @Test func `a command is decided, published and read back, and a restart goes on`() async throws {
    var owner = try await start()
    let first = try await owner.ask("names.name.add.v1", ["name": "a"])
    #expect(first.answer["receipt"] == "names/0/2")
    #expect(owner.context.health.isReady)
    try await owner.stop()
    #expect(!FileManager.default.fileExists(atPath: directory.file("data/names/0.sqlite-wal")))
    owner = try await start()
    let again = try await owner.ask("names.name.add.v1", ["name": "a"], id: first.command)
    #expect(again.answer == first.answer)
    let refused = try await owner.ask("names.name.add.v1", ["name": "a"])
    #expect(refused.answer["code"] == "name-taken" && refused.answer["receipt"] == "names/0/4")
    #expect(owner.context.metrics.render().contains("daybook_commands_decided_total"))
    try await owner.stop()
    await log.close()
  }

  @Test func `fifty writers at once are all answered, in one gapless history`() async throws {
    let owner = try await start()
    let ids = try await withThrowingTaskGroup(of: [MessageID].self) { group in
      for writer in 0..<50 {
        group.addTask {
          var ids: [MessageID] = []
          for index in 0..<10 {
            ids.append(try await owner.send("names.name.add.v1", ["name": .string("\(writer)-\(index % 7)")]))
          }
          return ids
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    for id in ids.suffix(20) { _ = try await owner.decision(of: id) }
    for id in ids.prefix(480) { _ = try await owner.decision(of: id) }
    try await owner.stop()
    let valid = try await ValidReader(log, events).all()
    #expect(valid.map(\.sequence) == Array(1...Int64(valid.count)))
    #expect(valid.count == 500 + 350)
    await log.close()
  }

  @Test func `no command, a foreign key and a foreign partition are answered, and the next one is served`() async throws
  {
    let owner = try await Owner(log: log, data: directory.file("data"), partitionCount: 4)
    let foreign = Message(
      id: .next(), source: "/test", type: "names.name.add.v1", time: .now(), workspace: "main", data: Array("{}".utf8))
    let good = Message(
      id: .next(), source: "/test", type: "names.name.add.v1", time: .now(), workspace: "home-0",
      data: Array(#"{"name":"a"}"#.utf8))
    #expect(Workspace.partition(of: "main", count: 4) == 3)
    let here = (0..<99).map { "home-\($0)" }.first { Workspace.partition(of: $0, count: 4) == 0 } ?? ""
    var next = good
    next.workspace = here
    var keyed = next
    keyed.id = .next()
    var wrongKey = keyed.record
    wrongKey.key = Array("elsewhere".utf8)
    let none = NewRecord(key: Array(here.utf8), headers: [Header("some", "header")], value: Array("hello".utf8))
    try await log.append([none, foreign.record, wrongKey, next.record], to: commands)
    #expect(try await owner.decision(of: next.id).isAccepted)
    let elsewhere = try await owner.decision(of: foreign.id)
    #expect(elsewhere.answer["code"] == "wrong-partition" && elsewhere.answer["partition"] == 3)
    let mine = try await owner.decision(of: keyed.id)
    #expect(mine.answer["code"] == "wrong-partition" && mine.answer["partition"] == 0)
    let unreadable = try await ValidReader(log, events).all()[0].message
    #expect(unreadable.type == Message.Kind.unreadable && unreadable.workspace == here)
    let data = UnreadableCommand(try JSON(parsing: unreadable.data))
    #expect(data?.reason == "ce_specversion is missing" && data?.offset == 0 && data?.bytes == Array("hello".utf8))
    try await owner.stop()
    await log.close()
  }

  @Test func `a failed delivery halts the relay; a new claim is made and the outbox goes on from there`() async throws {
    let failures = Mutex(3)
    let scripted = ScriptedLog(log) { records, write async throws(LogError) in
      // The first two records of a batch land, the third does not.
      guard records.count > 2,
        failures.withLock({ count in
          count -= 1
          return count >= 0
        })
      else { return try await write(records) }
      _ = try await write(Array(records.prefix(2)))
      throw .uncertain("the delivery failed")
    }
    let owner = try await start(log: scripted)
    let ids = [
      try await owner.send("names.name.add.v1", ["name": "a", "touches": 3]),
      try await owner.send("names.name.add.v1", ["name": "b", "touches": 3]),
    ]
    for id in ids { #expect(try await owner.decision(of: id).isAccepted) }
    try await owner.stop()
    let valid = try await ValidReader(log, events).all()
    #expect(valid.map(\.sequence) == Array(1...10))
    #expect(Set(valid.map(\.message.epoch)).count >= 1 && valid.last?.message.epoch ?? 0 >= 2)
    await log.close()
  }

  @Test func `it stops within five seconds while the log answers nothing, and nothing is lost`() async throws {
    let (hung, isHung) = AsyncStream.makeStream(of: Void.self)
    let release = Signal()
    let scripted = ScriptedLog(log, whenClosed: { release.fire() }) { records, write async throws(LogError) in
      guard records.first?.sequence != nil else { return try await write(records) }
      isHung.yield()
      await Task.detached { await release.wait() }.value
      throw .uncertain("closed before it was confirmed")
    }
    var owner = try await start(log: scripted)
    let id = try await owner.send("names.name.add.v1", ["name": "a"])
    for await _ in hung { break }
    await owner.context.health.probe()
    #expect(owner.context.health.state(of: "names/0")?.detail?.contains("has not confirmed") == true)
    let clock = ContinuousClock()
    let took = try await clock.measure { try await owner.stop() }
    #expect(took < .seconds(5))
    #expect(!FileManager.default.fileExists(atPath: directory.file("data/names/0.sqlite-wal")))
    owner = try await start()
    #expect(try await owner.decision(of: id).isAccepted)
    try await owner.stop()
    await log.close()
  }

  @Test func `an owner that another one replaced stands still, says who, and is built anew at its next start`()
    async throws
  {
    let gate = Signal()
    let (held, isHeld) = AsyncStream.makeStream(of: Void.self)
    let sleeping = Mutex(false)
    let scripted = ScriptedLog(log) { records, write async throws(LogError) in
      if sleeping.withLock({ $0 }) {
        isHeld.yield()
        await gate.wait()
      }
      return try await write(records)
    }
    var first = try await start("first", log: scripted)
    _ = try await first.ask("names.name.add.v1", ["name": "a"])
    try await first.stop()
    try FileManager.default.copyItem(atPath: directory.file("first"), toPath: directory.file("second"))

    first = try await start("first", log: scripted)
    _ = try await first.ask("names.name.add.v1", ["name": "b"])
    sleeping.withLock { $0 = true }
    // The first one has decided this, but its records do not reach the log any more.
    let id = try await first.send("names.name.add.v1", ["name": "c"])
    for await _ in held { break }
    let second = try await start("second")
    let decision = try await second.decision(of: id)
    #expect(decision.isAccepted)
    let more = try await second.ask("names.name.add.v1", ["name": "d"])
    gate.fire()
    try await lines.wait(for: "took this partition over")
    #expect(first.context.health.state(of: "names/0")?.detail?.contains("took this partition over") == true)
    #expect(try await second.decision(of: id).isAccepted)
    #expect(try await second.ask("names.name.add.v1", ["name": "d"]).answer["code"] == "name-taken")
    try await first.stop()
    try await second.stop()

    first = try await start("first")
    #expect(try await first.ask("names.name.add.v1", ["name": "d"], id: more.command).answer == more.answer)
    _ = try await first.ask("names.name.remove.v1", ["name": "d"])
    try await first.stop()
    let aside = try FileManager.default.contentsOfDirectory(atPath: directory.file("first/names"))
      .filter { $0.hasPrefix("0.sqlite.fenced-") }
    #expect(aside.count == 1)
    let valid = try await ValidReader(log, events).all()
    #expect(valid.map(\.sequence) == Array(1...Int64(valid.count)))
    await log.close()
  }

  @Test func `a log that is shorter than what was read back stops it, and nothing is written`() async throws {
    var owner = try await start()
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    _ = try await owner.ask("names.name.add.v1", ["name": "b"])
    try await owner.stop()
    await log.close()
    // Another file with the same id: the log as it was restored from an older copy.
    let path = directory.file("log/log.sqlite")
    let db = try Connection(path, .writing)
    try db.execute("DELETE FROM record WHERE offset >= 2 AND partition = (SELECT max(partition) FROM record)")
    db.close()
    let shorter = try EmbeddedLog(directory: directory.file("log"))
    let before = try await shorter.bounds(of: events)
    owner = try await start(log: shorter)
    try await lines.wait(for: "records that counted are missing")
    try await owner.stop()
    #expect(try await shorter.bounds(of: events) == before)
    await shorter.close()
  }

  @Test func `a foreign claim that comes together with what its owner wrote is told as such`() async throws {
    let owner = try await start()
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    var story = StoryBuilder("names")
    let claim = story.claim(epoch: 2)
    for _ in 0..<2 { _ = story.message("names.name.added.v1") }
    try await log.append(([claim] + story.command()).map(\.record), to: events)
    try await lines.wait(for: "took this partition over")
    try await owner.stop()
    await log.close()
  }

  @Test func `an owner that stands still is not ready, whoever asks`() async throws {
    let owner = try await start()
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    var story = StoryBuilder("names")
    _ = story.claim()
    for _ in 0..<2 { _ = story.message("names.name.added.v1") }
    // Valid by the rule, but of another hand.
    try await log.append(story.command().map(\.record), to: events)
    try await lines.wait(for: "did not write it")
    await owner.context.health.probe()
    #expect(owner.context.health.state(of: "names/0")?.detail?.contains("did not write it") == true)
    try await owner.stop()
    await log.close()
  }

  @Test func `another record where the last one that counted stood stops the owner, nothing is written`() async throws {
    var owner = try await start()
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    try await owner.stop()
    await log.close()
    let path = directory.file("log/log.sqlite")
    let db = try Connection(path, .writing)
    try db.execute(
      """
      UPDATE record SET headers = (SELECT headers FROM record r WHERE r.partition = record.partition AND r.offset = 1)
      WHERE offset = 2 AND partition = (SELECT max(partition) FROM record)
      """)
    db.close()
    let other = try EmbeddedLog(directory: directory.file("log"))
    let before = try await other.bounds(of: events)
    owner = try await start(log: other)
    try await lines.wait(for: "the topic was made anew")
    try await owner.stop()
    #expect(try await other.bounds(of: events) == before)
    await other.close()
  }

  @Test func `another partition count or another log is refused and the files stay as they are`() async throws {
    let owner = try await start()
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    try await owner.stop()
    await log.close()
    let path = directory.file("data/names/0.sqlite")
    let before = FileManager.default.contents(atPath: path)
    let other = try EmbeddedLog(directory: directory.file("other"))
    let error = await #expect(throws: StartupError.self) { try await start(log: other) }
    #expect(error?.description.contains(other.id) == true && error?.description.contains(log.id) == true)
    await other.close()
    let same = try EmbeddedLog(directory: directory.file("log"))
    let count = await #expect(throws: StartupError.self) {
      try await Owner(log: same, data: directory.file("data"), partitionCount: 2)
    }
    #expect(count?.description.contains("1") == true && count?.description.contains("2") == true)
    await same.close()
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func `a second owner of one folder is refused and told who holds it`() async throws {
    let owner = try await start()
    let error = await #expect(throws: StartupError.self) { try await start() }
    #expect(error?.description.contains("names/0 (process \(getpid()))") == true)
    _ = try await owner.ask("names.name.add.v1", ["name": "a"])
    try await owner.stop()
    await log.close()
  }

  @Test func `a command that fails unexpectedly stops the owner, which says which it was`() async throws {
    let owner = try await start()
    let good = try await owner.send("names.name.add.v1", ["name": "a"])
    try await owner.send("names.name.fail.v1", ["name": "a"])
    try await owner.send("names.name.add.v1", ["name": "b"])
    #expect(try await owner.decision(of: good).isAccepted)
    try await lines.wait(for: "the command at offset 1 failed")
    #expect(!owner.context.health.isReady)
    try await owner.stop()
    #expect(try await ValidReader(log, events).all().count == 2)
    await log.close()
  }
}
