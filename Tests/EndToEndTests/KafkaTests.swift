import CommandLineClient
import EventLog
import Foundation
import Messaging
import Synchronization
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  static var onRealBroker: Self {
    .enabled(if: KafkaBroker.address != nil, "no real broker: DAYBOOK_TEST_KAFKA is not set")
  }
}

@Suite("Kafka end to end", .serialized, .onRealBroker) struct KafkaEndToEndTests {
  /// How often a process or the broker is killed: 40 unless the environment asks for another number.
  static let kills = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_KILLS"].flatMap(Int.init) ?? 40

  @Test(.timeLimit(.minutes(30)))
  func `nothing that was answered is lost, doubled or reordered by kill -9 of any process and of the broker`()
    async throws
  {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      let seed = UInt64.random(in: 0...UInt64.max)
      let load = BackgroundLoad(seed: seed, port: world.port)
      let brokerKills = try await kill(world, load, SplitMix(state: seed))
      try await world.untilReady(within: .seconds(90))
      let told = try await check(world, load, "seed \(seed)")
      print("\(Self.kills) kills, \(brokerKills) of the broker; \(told.count) commands answered")
    }
  }

  /// Kills a process, or now and then the broker, and starts it again; returns how often it was the broker.
  private func kill(_ world: KafkaWorld, _ load: BackgroundLoad, _ random: SplitMix) async throws -> Int {
    var random = random
    var brokerKills = 0
    for kill in 0..<Self.kills {
      await load.untilAnswered(Int.random(in: 0...60, using: &random), within: .seconds(20))
      usleep(UInt32.random(in: 0...8000, using: &random))
      if KafkaBroker.canBeKilled, kill % 20 == 7 {
        try KafkaBroker.kill()
        try KafkaBroker.start()
        brokerKills += 1
      } else {
        let victim = KafkaWorld.parts[Int.random(in: 0..<KafkaWorld.parts.count, using: &random)]
        world.kill(victim)
        try world.start([victim])
      }
    }
    return brokerKills
  }

  /// Ends the load and the world, and lets the checker look at all of it.
  @discardableResult
  private func check(_ world: KafkaWorld, _ load: BackgroundLoad, _ comment: Comment) async throws -> [Told] {
    let told = await load.finish()
    #expect(told.allSatisfy { $0.answer != nil }, comment)
    #expect(told.contains { $0.answer?.status == 200 } && told.contains { $0.answer?.status == 409 }, comment)
    let rows = try await ReadModel.entities(world.server)
    for (part, end) in world.stop() {
      #expect(end.status == 0, "\(part): \(world.said(part).suffix(500))")
      #expect(end.seconds < 5, "\(part) took \(end.seconds) s to stop")
    }
    #expect(try await world.findings(told, rows: rows) == [], comment)
    return told
  }

  @Test(.timeLimit(.minutes(5)))
  func `of two owners on copies of one database one goes on, and the one that slept says who took over`() async throws {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      let load = BackgroundLoad(seed: 2, port: world.port)
      await load.untilAnswered(200, within: .seconds(30))
      world.kill("tasks")
      let copy = world.folder.path + "/copy"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: world.data + "/tasks", toPath: copy + "/tasks")
      try world.start(["tasks"])
      try await world.untilReady(["tasks"])
      await load.untilAnswered(50, within: .seconds(20))
      world.signal("tasks", SIGSTOP)
      let port = try FreePort.find()
      try world.start("tasks", [], name: "second", port: port, data: copy)
      try await world.until("http://127.0.0.1:\(port)", "/readyz") { $0.status == 200 }
      // For all of that time: so many are never answered.
      await load.untilAnswered(1_000_000, within: .seconds(Self.sleep))
      world.signal("tasks", SIGCONT)
      try await world.until(world.url("tasks"), "/readyz") { response in
        guard case .bytes(let bytes) = response.body else { return false }
        return response.status == 503 && String(decoding: bytes, as: UTF8.self).contains("took this partition over")
      }
      await load.untilAnswered(200, within: .seconds(20))
      // The first one's database stays behind; what the second one wrote is the history.
      world.kill("tasks")
      let told = await load.finish()
      let rows = try await ReadModel.entities(world.server)
      _ = world.stop()
      try FileManager.default.removeItem(atPath: world.data + "/tasks")
      try FileManager.default.moveItem(atPath: copy + "/tasks", toPath: world.data + "/tasks")
      #expect(try await world.findings(told, rows: rows) == [])
    }
  }

  /// Seconds that the first of two owners sleeps: 5 unless the environment asks for another number.
  static let sleep = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_SLEEP"].flatMap(Int.init) ?? 5

  @Test(.timeLimit(.minutes(5)))
  func `two instances share the partitions: all workspaces are served, and a name is one in each`() async throws {
    try await KafkaWorld.with { world in
      try world.start(["library", "visitorlog", "projection", "audit", "gateway"])
      try world.start("tasks", ["--partitions", "0-1"], name: "tasks 0-1")
      let port = try FreePort.find()
      try world.start("tasks", ["--partitions", "2-3"], name: "tasks 2-3", port: port)
      try await world.untilReady()
      try await world.until("http://127.0.0.1:\(port)", "/readyz") { $0.status == 200 }
      let connection = try LoadConnection(port: world.port)
      var places: Set<Int> = []
      for number in 0..<200 {
        places.insert(Workspace.partition(of: "household-\(number)", count: 4))
        for (name, status) in [("urgent", 200), ("URGENT", 409), ("Later", 200)] {
          let command: JSON = [
            "type": "tasks.tag.create.v1", "workspace": .string("household-\(number)"), "data": ["name": .string(name)],
          ]
          #expect(try connection.post(command.text) == status)
        }
      }
      #expect(places == [0, 1, 2, 3])
      let tags = try await ReadModel.entities(world.server)["tag"] ?? [:]
      #expect(tags.count == 400)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `everything but the log can go, and a command that another client wrote is served`() async throws {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      let load = BackgroundLoad(seed: 3, port: world.port)
      await load.untilAnswered(300, within: .seconds(60))
      _ = await load.finish()
      let log = try await KafkaBroker.open()
      let ids = [MessageID.next(), .next()]
      for (id, partition) in zip(ids, [3, 0]) {
        let headers = [
          ("ce_specversion", "1.0"), ("ce_id", id.description), ("ce_source", "/kcat"),
          ("ce_type", "tasks.item.add.v1"),
          ("content-type", "application/json"),
        ]
        try await log.append(
          [
            NewRecord(
              key: Array("main".utf8), headers: headers.map(Header.init), value: Array(#"{"title":"From kcat"}"#.utf8))
          ],
          to: TopicPartition("daybook.tasks.commands", partition))
      }
      await log.close()
      for (id, status) in zip(ids, ["200", "409"]) {
        try await world.until(world.server, "/v1/commands/\(id)") { $0.status == 200 || "\($0.status)" == status }
      }
      let wrong = try await world.get("/v1/commands/\(ids[1])")
      #expect(wrong.body.contains("wrong-partition"))
      let items = try await world.get("/v1/items", [("q", "From kcat")])
      #expect(items.body.contains("\"count\":1,"))
      let before = try await world.everythingAnswered()
      _ = world.stop()
      let head = try Data(contentsOf: URL(fileURLWithPath: world.data + "/audit/head.json"))
      try FileManager.default.removeItem(atPath: world.data)
      try world.start()
      try await world.untilReady()
      #expect(try await world.everythingAnswered() == before)
      _ = world.stop()
      #expect(try Data(contentsOf: URL(fileURLWithPath: world.data + "/audit/head.json")) == head)
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `a household moves from one machine to Kafka, also where the copy is killed on its way`() async throws {
    try await KafkaWorld.with { world in
      let small = world.folder.path + "/small"
      let daybook = try DaybookProcess(up: small, ["--sample"])
      let before = try await lists(daybook.server)
      #expect(daybook.stop() == 0)
      let copy = ["log", "copy", "--from", "embedded:\(small)", "--to", "kafka:\(KafkaBroker.address ?? "")"]
      let killed = Process()
      killed.executableURL = DaybookProcess.products.appendingPathComponent("daybook")
      killed.arguments = copy
      killed.standardOutput = FileHandle.nullDevice
      killed.standardError = FileHandle.nullDevice
      try killed.run()
      usleep(UInt32.random(in: 100_000...900_000))
      Foundation.kill(killed.processIdentifier, SIGKILL)
      killed.waitUntilExit()
      let copied = try DaybookProcess.run(copy)
      #expect(copied.status == 0, "\(copied.output)\(copied.error)")
      try world.start()
      try await world.untilReady()
      #expect(try await lists(world.server) == before)
      let added = try DaybookProcess.run(["item", "add", "On Kafka now"], server: world.server)
      #expect(added.status == 0, "\(added.error)")
    }
  }

  /// All rows of all lists, without the places that differ from log to log.
  private func lists(_ server: String) async throws -> [String: String] {
    var rows: [String: String] = [:]
    for kind in Kind.all.map(\.plural) + ["visits"] {
      rows[kind] = try DaybookProcess.run([String(kind.dropLast()), "list", "--ndjson"], server: server).output
    }
    return rows
  }
}

/// Clients that go on whatever happens to the server, in threads of their own.
final class BackgroundLoad: Sendable {
  private let load: Load
  private let port: Int
  private let isOver = Atomic(false)
  private let ended = Gate()

  init(seed: UInt64, port: Int, clients: Int = 6) {
    load = Load(seed: seed)
    self.port = port
    Thread.detachNewThread { [self] in
      while true {
        let wasOver = isOver.load(ordering: .acquiring)
        load.run(port: port, clients: clients) { [self] _ in
          wasOver || !isOver.load(ordering: .acquiring)
        }
        // Over: one more run answers what is open, and ends.
        if wasOver, load.told.allSatisfy({ $0.answer != nil }) { return ended.open() }
        // The gateway is down: it is tried again.
        usleep(20_000)
      }
    }
  }

  var answered: Int { load.answered }

  /// Returns once so many more were answered, or the time is over.
  func untilAnswered(_ more: Int, within limit: Duration) async {
    let goal = load.answered + more
    let end = ContinuousClock.now + limit
    while load.answered < goal, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Makes no new command, returns once all are answered.
  func finish() async -> [Told] {
    load.finish()
    isOver.store(true, ordering: .releasing)
    await ended.wait()
    return load.told
  }
}
