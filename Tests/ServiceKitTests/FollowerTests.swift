import EventLog
import Foundation
import HTTP
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

/// A log, a data directory, and a follower of the tasks service over two partitions.
private final class Scene: Sendable {
  let folder: TemporaryDirectory
  let log: any EventLog
  let health = Health()
  let metrics = Metrics()
  let lines = Mutex<[String]>([])
  static let topic = Topic.events("tasks")

  init(_ folder: TemporaryDirectory, topics: Bool = true, logFolder: String = "log", logID: String? = nil) async throws
  {
    self.folder = folder
    let embedded = try EmbeddedLog(directory: folder.file(logFolder))
    log = logID.map { RenamedLog(base: embedded, id: $0) } ?? embedded
    if topics { try await log.create([Self.topic], partitions: 2) }
  }

  convenience init(topics: Bool = true) async throws { try await self.init(TemporaryDirectory(), topics: topics) }

  var plan: FollowerPlan {
    FollowerPlan("notes", data: folder.path, services: ["tasks"], partitionCount: 2)
  }

  func follower<Effect: NotesEffect>(
    _ type: Effect.Type = NotesEffect.self, plan: FollowerPlan? = nil,
    prepare: @escaping @Sendable (NotesEffect) -> Void = { _ in }
  ) -> Follower<Effect> {
    let logger = Logger(component: "test", level: .notice) { line in
      self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }
    let context = ServiceContext(
      log: log, data: folder.path, partitionCount: 2, health: health, metrics: metrics, logger: logger)
    return Follower(plan ?? self.plan, context: context) { db in
      let effect = try Effect(db)
      prepare(effect)
      return effect
    }
  }

  func append(_ messages: [Message], to partition: Int = 0) async throws {
    try await log.append(messages.map(\.record), to: TopicPartition(Self.topic, partition))
  }

  /// Runs the follower while the body runs; returns when it has put everything in order.
  func run<Effect, T: Sendable>(_ follower: Follower<Effect>, _ body: @Sendable () async throws -> T) async throws -> T
  {
    try await follower.prepare()
    let running = Task { try await follower.run() }
    do {
      let result = try await body()
      running.cancel()
      try await running.value
      return result
    } catch {
      running.cancel()
      try? await running.value
      throw error
    }
  }

  func story(_ partition: ServicePartition = first) throws -> String {
    let db = try Connection(plan.path, .reading)
    defer { db.close() }
    return try NotesEffect.story(db, partition)
  }
}

/// A log that says it is another one: the same topics, made anew.
private struct RenamedLog: EventLog {
  let base: EmbeddedLog
  let id: String
  func create(_ topics: [String], partitions: Int) async throws(LogError) {
    try await base.create(topics, partitions: partitions)
  }
  func partitions(of topic: String) async throws(LogError) -> Int? { try await base.partitions(of: topic) }
  func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await base.append(records, to: partition)
  }
  func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    try await base.writer(to: partition)
  }
  func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    try await base.reader(of: partition, from: offset)
  }
  func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try await base.bounds(of: partition)
  }
  func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    try await base.offset(of: partition, at: time)
  }
  func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    try await base.offset(of: partition, sequence: sequence)
  }
  func close() async { await base.close() }
}

private let added = StoryBuilder.Event("tasks.item.added.v1", "item/1", ["title": "Milk"])

@Suite(.timeLimit(.minutes(1))) struct FollowerTests {
  @Test func `who waits for a receipt is woken when it is folded`() async throws {
    let scene = try await Scene()
    let follower = scene.follower()
    try await scene.run(follower) {
      var story = StoryBuilder()
      async let waiting: Void = follower.progress.wait(for: [first.receipt(2)], timeout: .seconds(30))
      try await scene.append([story.claim()] + story.command([added]))
      try await waiting
      #expect(try await follower.read { try NotesEffect.story($0) } == "1 2 | claim")
      #expect(scene.health.state(of: "notes tasks/0") == .ready)
    }
    await scene.log.close()
    // A clean stop leaves nothing beside the file.
    #expect(!FileManager.default.fileExists(atPath: scene.plan.path + "-wal"))
  }

  @Test func `a receipt that is not folded in time is answered 504, naming what lags`() async throws {
    let scene = try await Scene()
    let follower = scene.follower()
    try await scene.run(follower) {
      var request = Request(path: "/", query: [("after", "tasks/0/7"), ("after", "library/0/9"), ("after", "none")])
      await #expect {
        try await follower.waitAfter(request, timeout: .milliseconds(1))
      } throws: { error in
        let problem = error as? Problem
        return problem?.status == 504 && problem?.code == "behind" && problem?.members["lagging"] == ["tasks/0/7"]
      }
      request.query = [("after", "tasks/0")]
      await #expect(throws: Problem.self) { try await follower.waitAfter(request) }
      request.query = [("after", "tasks/9/1")]
      await #expect(throws: Problem.self) { try await follower.waitAfter(request) }
    }
    await scene.log.close()
  }

  @Test func `it waits for a topic that is not there yet, says so, and reads it from the first record`() async throws {
    let scene = try await Scene(topics: false)
    var plan = scene.plan
    let waits = Gate()
    let goesOn = Gate()
    plan.pause = { _ in
      waits.open()
      await goesOn.wait()
    }
    let follower = scene.follower(plan: plan)
    try await scene.run(follower) {
      await waits.wait()
      #expect(!scene.health.isReady)
      #expect(scene.lines.withLock { $0.contains { $0.contains("waits for the topic daybook.tasks.events") } })
      try await scene.log.create([Scene.topic], partitions: 2)
      var story = StoryBuilder()
      try await scene.append([story.claim()] + story.command([added]))
      goesOn.open()
      try await follower.progress.wait(for: [first.receipt(2)], timeout: .seconds(30))
    }
    #expect(try scene.story() == "1 2 | claim")
    await scene.log.close()
  }

  @Test func `it starts with a topic that already holds records, and goes on where it was`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    try await scene.append([story.claim()] + story.command([added]))
    for expected in ["1 2 | claim", "1 2 3 4 | claim", "1 2 3 4 5 6 | claim"] {
      let follower = scene.follower()
      let last = first.receipt(story.sequence)
      try await scene.run(follower) {
        try await follower.progress.wait(for: [last], timeout: .seconds(30))
      }
      #expect(try scene.story() == expected)
      try await scene.append(story.command([added]))
    }
    await scene.log.close()
  }

  @Test func `a command of ten thousand events is seen whole, also by who reads meanwhile`() async throws {
    let scene = try await Scene()
    let follower = scene.follower()
    try await scene.run(follower) {
      var story = StoryBuilder()
      let command = story.command(Array(repeating: added, count: 10_000))
      var claim = story
      try await scene.append([claim.claim()])
      let whole = command.map { message in
        var message = message
        message.epoch = 1
        return message
      }
      try await scene.append(Array(whole[..<6000]))
      // Everything before the decision is read, and nothing of it is seen.
      await follower.progress.wait { ($0[first]?.next ?? 0) >= 6001 }
      #expect(try await follower.read { try NotesEffect.story($0) } == "| claim")
      #expect(follower.progress.lane(first)?.position.offset == 1)
      try await scene.append(Array(whole[6000...]))
      try await follower.progress.wait(for: [first.receipt(10_001)], timeout: .seconds(50))
    }
    await scene.log.close()
  }

  @Test(arguments: [0, 1, 6])
  func `a topic made anew under the same name is noticed, whatever its length`(commands: Int) async throws {
    let folder = try TemporaryDirectory()
    let old = try await Scene(folder, logFolder: "old", logID: "log")
    var story = StoryBuilder()
    try await old.append([story.claim()] + story.command([added]) + story.command([added]))
    let follower = old.follower()
    try await old.run(follower) { try await follower.progress.wait(for: [first.receipt(4)], timeout: .seconds(30)) }
    await old.log.close()

    let new = try await Scene(folder, logFolder: "new", logID: "log")
    var other = StoryBuilder()
    if commands > 0 { try await new.append([other.claim()]) }
    for _ in 0..<commands { try await new.append(other.command([added])) }
    let again = new.follower()
    try await new.run(again) {
      await again.progress.wait { $0[first]?.stop != nil && $0[second]?.isReady == true }
      #expect(!new.health.isReady)
      #expect(new.lines.withLock { $0.contains { $0.contains("rebuild") } })
      #expect(
        new.metrics.render().contains(
          "daybook_follower_stopped{follower=\"notes\",service=\"tasks\",partition=\"0\"} 1"))
      #expect(new.health.state(of: "notes tasks/1") == .ready)
      await #expect(throws: Problem.self) {
        try await again.progress.wait(for: [first.receipt(9)], timeout: .seconds(50))
      }
    }
    #expect(try new.story() == "1 2 3 4 | claim")
    await new.log.close()
  }

  @Test func `a newer version stops one partition, and the newer build goes on there in order`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    var other = StoryBuilder("tasks", 1)
    try await scene.append(
      [story.claim()] + story.command([added]) + story.command([added, .init("tasks.item.added.v2")])
        + story.command([added]))
    try await scene.append([other.claim()], to: 1)
    let command = other.command([added])
    let follower = scene.follower()
    try await scene.run(follower) {
      await follower.progress.wait { $0[first]?.stop != nil }
      let places = await follower.statusJSON()["positions"]?.array ?? []
      #expect(places.contains { $0["partition"] == JSON(first.partition) && ($0["lag"]?.integer ?? 0) > 0 })
      try await scene.append(command, to: 1)
      try await follower.progress.wait(for: [second.receipt(2)], timeout: .seconds(30))
      #expect(scene.health.components.filter { $0.state != .ready }.map(\.name) == ["notes tasks/0"])
      #expect(
        scene.lines.withLock { $0.contains { $0.contains("tasks/0/5") == false && $0.contains("run the newer build") } }
      )
    }
    #expect(try scene.story() == "1 2 | claim")
    let newer = scene.follower(NextNotesEffect.self)
    try await scene.run(newer) { try await newer.progress.wait(for: [first.receipt(7)], timeout: .seconds(30)) }
    #expect(try scene.story() == "1 2 3 4 5 6 7 | claim")
    await scene.log.close()
  }

  @Test func `a build that knows a type that was passed over rebuilds at its first start and holds it`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    try await scene.append([story.claim()] + story.command([added, .init("tasks.future.made.v1")]))
    let follower = scene.follower()
    try await scene.run(follower) { try await follower.progress.wait(for: [first.receipt(3)], timeout: .seconds(30)) }
    #expect(try scene.story() == "1 3 | claim")
    let newer = scene.follower(NextNotesEffect.self)
    try await scene.run(newer) {
      try await newer.progress.wait(for: [first.receipt(3)], timeout: .seconds(30))
      #expect(try await newer.read { try NotesEffect.story($0) } == "1 2 3 | claim")
    }
    #expect(scene.lines.withLock { $0.contains { $0.contains("passed over tasks.future.made.v1") } })
    await scene.log.close()
  }

  @Test func `a rebuild at the first start that meets what it cannot apply stops that partition only`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    var other = StoryBuilder("tasks", 1)
    try await scene.append(
      [story.claim()] + story.command([.init("tasks.future.made.v1")]) + story.command([.init("tasks.item.moved.v1")]))
    try await scene.append([other.claim()] + other.command([added]), to: 1)
    let follower = scene.follower()
    try await scene.run(follower) { try await follower.progress.wait(for: [first.receipt(4)], timeout: .seconds(30)) }
    let newer = scene.follower(NextNotesEffect.self) { $0.refuses = "tasks.item.moved.v1" }
    try await scene.run(newer) {
      await newer.progress.wait { $0[first]?.stop != nil && $0[second]?.isReady == true }
      let stories = try await newer.read { [try NotesEffect.story($0, first), try NotesEffect.story($0, second)] }
      #expect(stories == ["1 2 | claim", "1 2 | claim"])
    }
    await scene.log.close()
  }

  @Test func `a lag that stands still while there are records to read is told when somebody asks`() async throws {
    let scene = try await Scene()
    var plan = scene.plan
    plan.patience = .zero
    let stuck = Gate()
    let mended = Gate()
    plan.pause = { _ in
      stuck.open()
      await mended.wait()
    }
    let full = Mutex(true)
    let follower = scene.follower(plan: plan) { $0.isDiskFull = { full.withLock { $0 } } }
    var story = StoryBuilder()
    try await scene.append([story.claim()] + story.command([added]))
    try await scene.run(follower) {
      await stuck.wait()
      let status = await follower.statusJSON()
      #expect(status["ready"] == false)
      #expect(status.text.contains("stands still at offset 0 with at least 3 records to read"))
      #expect(status.text.contains("cannot write"))
      let lag = status["positions"]?.array?.first?["lag"]
      #expect(lag == 3)
      full.withLock { $0 = false }
      mended.open()
      try await follower.progress.wait(for: [first.receipt(2)], timeout: .seconds(30))
      #expect(scene.health.isReady)
    }
    await scene.log.close()
  }

  @Test func `a rebuild is refused while it runs, and afterwards gives the same rows`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    try await scene.append([story.claim()] + story.command([added]) + story.command([added, added]))
    let follower = scene.follower()
    let plan = scene.plan
    try await scene.run(follower) {
      try await follower.progress.wait(for: [first.receipt(5)], timeout: .seconds(30))
      await #expect(throws: StartupError.self) {
        try await FollowerReplay<NotesEffect>.rebuildStopped(plan, log: scene.log, makeEffect: NotesEffect.init)
      }
    }
    try await FollowerReplay<NotesEffect>.rebuildStopped(plan, log: scene.log, makeEffect: NotesEffect.init)
    #expect(try scene.story() == "1 2 3 4 5 | claim")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: plan.folder).sorted() == ["notes.lock", "notes.sqlite"])
    await scene.log.close()
  }

  @Test func `a replay ends at a moment, with whole commands only`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder()
    try await scene.append([story.claim()] + story.command([added]))
    let then = story.time
    try await scene.append(story.command([added, added]))
    let replay = try FollowerReplay<NotesEffect>(
      nil, installation: Installation(logID: scene.log.id, partitionCount: 2), partitions: scene.plan.partitions,
      makeEffect: NotesEffect.init)
    try await replay.run(scene.log, until: .time(then))
    #expect(try await replay.read { try NotesEffect.story($0) } == "1 2 | claim")
    try await replay.close()
    await scene.log.close()
  }
}
