import CommandLineClient
import EventLog
import Foundation
import HTTP
import Messaging
import Testing

/// Faults of the broker, of its topics and of those who start the processes. In the suite of the other tests on a real
/// broker, because all of them make the same topics.
extension KafkaEndToEndTests {
  /// Seconds that the broker is away under load: 3 unless the environment asks for another number.
  static let away = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_AWAY"].flatMap(Int.init) ?? 3

  @Test(.enabled(if: KafkaBroker.canBeKilled, "nothing tells how the broker is killed"), .timeLimit(.minutes(6)))
  func `while the broker is away under load, 503 means that nothing was handed over, and no process runs hot`()
    async throws
  {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      let load = OnceLoad(port: world.port, clients: 6)
      await load.until { $0.answered >= 100 }
      try KafkaBroker.kill()
      await load.until { $0.refused >= 6 }
      let before = world.processorSeconds
      try await Task.sleep(for: .seconds(Self.away))
      for (name, seconds) in world.processorSeconds {
        let used = seconds - before[name, default: 0]
        #expect(used < 0.2 * Double(Self.away), "\(name) used \(used) s of \(Self.away) s while no broker was there")
      }
      try KafkaBroker.start()
      let answered = load.counts.answered
      await load.until { $0.answered >= answered + 100 }
      try await world.untilReady(within: .seconds(90))
      let (told, refused) = await load.finish()
      let rows = try await ReadModel.entities(world.server)
      for (part, end) in world.stop() { #expect(end.status == 0 && end.seconds < 5, "\(part): \(end)") }
      #expect(told.count > 200 && told.allSatisfy { $0.answer != nil })
      #expect(try await world.findings(told, rows: rows) == [])
      let findings = try await Checker(data: world.data, told: refused, log: try await KafkaBroker.open()).findings()
      #expect(
        findings.sorted()
          == refused.map { "\($0.type) \($0.id) was answered 503, and has 0 decisions" }.sorted())
      print("away for \(Self.away) s: \(told.count) commands answered, \(refused.count) refused by 503")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `SIGTERM under load, and where no broker answers, ends every process with status 0 within five seconds`()
    async throws
  {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      let load = BackgroundLoad(seed: 5, port: world.port)
      await load.untilAnswered(150, within: .seconds(30))
      for (part, end) in world.stop() { #expect(end.status == 0 && end.seconds < 5, "\(part): \(end)") }
      try world.start()
      try await world.untilReady()
      if KafkaBroker.canBePaused {
        await load.untilAnswered(100, within: .seconds(30))
        try KafkaBroker.pause()
        // Commands are under way to a broker that says nothing more.
        try await Task.sleep(for: .seconds(1))
        let ends = world.stop()
        try KafkaBroker.resume()
        for (part, end) in ends { #expect(end.status == 0 && end.seconds < 5, "\(part): \(end)") }
        try world.start()
        try await world.untilReady()
      }
      let told = await load.finish()
      let rows = try await ReadModel.entities(world.server)
      _ = world.stop()
      #expect(try await world.findings(told, rows: rows) == [])
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `one id with two contents at once through two gateways gives each client the answer to its own`() async throws {
    try await KafkaWorld.with { world in
      try world.start()
      let port = try FreePort.find()
      try world.start("gateway", [], name: "second", port: port, data: world.folder.path + "/second")
      try await world.untilReady()
      try await world.until("http://127.0.0.1:\(port)", "/readyz") { $0.status == 200 }
      for round in 0..<20 {
        let id = MessageID.next()
        let answers = await withTaskGroup(of: Told.Answer.self) { group in
          for (port, title) in [(world.port, "one \(round)"), (port, "two \(round)")] {
            let command = Told(
              id: id, type: "tasks.item.add.v1", workspace: Workspace.main, data: ["title": .string(title)])
            group.addTask {
              let connection = try? LoadConnection(port: port)
              let status = try? connection?.post(command.request)
              return Told.Answer(status: status ?? 0, body: Array(connection?.body ?? []))
            }
          }
          var answers: [Told.Answer] = []
          for await answer in group { answers.append(answer) }
          return answers
        }
        #expect(answers.map(\.status).sorted() == [200, 409])
        let refused = try #require(answers.first { $0.status == 409 })
        #expect(try JSON(parsing: refused.body)["code"] == "command-id-reused")
      }
      // A gateway knows the receipts that itself has passed on: what the other one did may be folded a moment later.
      try await world.until(world.server, "/v1/items") { response in
        guard case .bytes(let bytes) = response.body else { return false }
        return String(decoding: bytes, as: UTF8.self).contains("\"count\":20,")
      }
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `followers wait for their topics, records that are no commands are passed, and a topic made anew stops all`()
    async throws
  {
    try await KafkaWorld.with { world in
      try world.start(["projection", "audit", "gateway"])
      for part in ["projection", "audit"] {
        try await world.untilSays(part, "waits for the topic daybook.tasks.events, which is not there yet")
      }
      try world.start(["library", "visitorlog", "tasks"])
      try await world.untilReady()
      let log = try await KafkaBroker.open()
      let commands = TopicPartition("daybook.tasks.commands", Workspace.partition(of: Workspace.main, count: 4))
      try await log.append([NewRecord(key: nil, headers: [], value: nil)], to: commands)
      let client = try LoadConnection(port: world.port)
      for title in ["one", "two"] {
        #expect(try client.post(#"{"type":"tasks.item.add.v1","data":{"title":"\#(title)"}}"#) == 200)
      }
      #expect(try await world.get("/v1/items", [("limit", "1")]).body.contains("\"count\":2,"))
      try await world.untilSays("tasks", #"partition="3",result="unreadable"} 1"#, at: "/metrics")

      try await log.delete(["daybook.tasks.events"])
      // The broker refuses the name until the old topic is gone.
      while (try? await log.create(["daybook.tasks.events"], partitions: 4)) == nil {
        try await Task.sleep(for: .milliseconds(100))
      }
      await log.close()
      try await world.untilSays("tasks", "records that counted are missing; restore the log")
      for part in ["projection", "audit"] { try await world.untilSays(part, "restore the log, or rebuild the \(part)") }
      try await world.untilSays("gateway", "decisions of tasks/")
      let status = try DaybookProcess.run(["status"], server: world.server)
      #expect(status.status == 1 && status.output.contains("stopped at tasks/3"), "\(status.output)")
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `a second process, another count of partitions, another log and a rebuild while it runs are refused`()
    async throws
  {
    try await KafkaWorld.with { world in
      try world.start(["library", "visitorlog", "tasks", "projection"])
      try await world.untilReady(["tasks", "projection"])
      let kafka = ["--kafka", KafkaBroker.address ?? ""]
      let other = world.folder.path + "/other"
      let small = world.folder.path + "/small"
      #expect(try DaybookProcess(up: small).stop() == 0)
      let port = ["--port", "\(try FreePort.find())"]
      let cases: [(arguments: [String], data: String, sentence: String)] = [
        (["serve", "tasks"] + port, world.data, "is in use by tasks/0 (process "),
        (["serve", "projection"] + port, world.data, "is in use by projection (process "),
        (["rebuild", "tasks"], world.data, "is in use by tasks/0 (process "),
        (["rebuild", "projection"], world.data, "is in use by projection (process "),
        (
          ["serve", "tasks", "--partition-count", "8"] + port, other,
          "topic daybook.tasks.commands has 4 partitions, not 8; start with --partition-count 4"
        ),
        (["serve", "audit", "--partition-count", "8"] + port, other, "has 4 partitions, not 8"),
        (["serve", "tasks"] + port, small, "belongs to the log"),
        (["serve", "projection"] + port, small, "belongs to the log"),
      ]
      let before = try world.files(small)
      for (arguments, data, sentence) in cases {
        let refused = try DaybookProcess.run(arguments + kafka + ["--data", data])
        #expect(refused.status == 1 && refused.error.contains(sentence), "\(arguments): \(refused)")
      }
      #expect(try world.files(small) == before)
      #expect(!FileManager.default.fileExists(atPath: other))
    }
  }

  /// Items of the project that is deleted: 3,000 unless the environment asks for another number.
  static let items = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_ITEMS"].flatMap(Int.init) ?? 3000

  @Test(.timeLimit(.minutes(8)))
  func `deleting a large project is seen whole or not at all, whichever process is killed meanwhile`() async throws {
    try await KafkaWorld.with { world in
      try world.start()
      try await world.untilReady()
      try await prepareProject()
      let wanted = "\"count\":\(Self.items),"
      try await world.until(world.server, "/v1/items", within: .seconds(240)) {
        if case .bytes(let body) = $0.body { String(decoding: body, as: UTF8.self).contains(wanted) } else { false }
      }
      let delete = Told(
        id: .next(), type: "tasks.project.delete.v1", workspace: Workspace.main, data: ["project": ["name": "Chores"]])
      let projection = world.url("projection")
      let reading = Task {
        let client = try HTTPClient(base: projection)
        var seen: Set<Int64> = []
        while !seen.contains(0) {
          guard let page = try? await ReadModel.get(client, "/v1/items", [("limit", "1")]) else {
            try? await Task.sleep(for: .milliseconds(10))
            continue
          }
          if let count = page["count"]?.integer { seen.insert(count) }
        }
        return seen
      }
      for victim in ["tasks", "projection", "tasks", "gateway"] {
        let server = world.port
        Thread.detachNewThread { _ = try? LoadConnection(port: server).post(delete.request) }
        usleep(UInt32.random(in: 0...250_000))
        world.kill(victim)
        try world.start([victim])
        try await world.untilReady()
      }
      var status = 0
      while status != 200 { status = (try? LoadConnection(port: world.port).post(delete.request)) ?? 0 }
      #expect(try await world.get("/v1/items", [("limit", "1")]).body.contains("\"count\":0,"))
      #expect(try await reading.value == [0, Int64(Self.items)])
      _ = world.stop()
      #expect(try await world.findings([], rows: [:]).filter { !$0.contains("not in the read model") } == [])
    }
  }

  private func prepareProject() async throws {
    let log = try await KafkaBroker.open()
    try await LargeProject.append(items: Self.items, to: log)
    await log.close()
  }
}
