import EventLog
import HTTP
import Messaging
import ServiceKit
import TasksService
import TestSupport
import Testing

@testable import CommandLineClient

/// Writes that go straight to the log.
@Suite(.timeLimit(.minutes(2))) struct DirectTests {
  private func client(_ log: any EventLog, wait: Duration = .seconds(20), audit: Handler? = nil) throws -> API {
    var api = try API(server: "http://127.0.0.1:1")
    let nobody: Handler = { _ in .problem(Problem.notFound("page", "")) }
    api.direct = DirectGateway(wait: wait, audit: audit ?? nobody, open: { log })
    api.isServerNamed = false
    return api
  }

  private func write(_ api: API, _ name: String, id: MessageID = .next(), seconds: Double = 20) async throws -> Answer {
    try await api.write(
      "tasks.tag.create.v1", ["name": .string(name)], id: id, actor: "ada",
      patience: .init(seconds: seconds, isAsked: true))
  }

  @Test func `a command is answered as over HTTP, and again under its id`() async throws {
    let folder = try TemporaryDirectory()
    let log = try EmbeddedLog(directory: folder.file("log"))
    let owner = try await RunningOwner<TasksDomain>(log: log, data: folder.path)
    let api = try client(log)
    let id = MessageID.next()
    let accepted = try await write(api, "urgent", id: id)
    #expect(accepted.status == 200 && accepted.json["receipt"] == "tasks/0/2")
    #expect(try await write(api, "urgent", id: id).json == accepted.json)
    let refused = try await write(api, "URGENT")
    #expect(refused.status == 409 && refused.json["code"] == "tag-name-taken")
    let unknown = try await api.write("books.add", [:], id: .next(), actor: nil, patience: .init())
    #expect(unknown.status == 422)
    await api.direct?.close()
    try await owner.stop()
    await log.close()
  }

  @Test func `what nobody decides is told with the command's id`() async throws {
    let folder = try TemporaryDirectory()
    let log = try EmbeddedLog(directory: folder.file("log"))
    let missing = await #expect(throws: Failure.self) { try await write(try client(log), "urgent") }
    #expect(missing?.message.contains("has no topic daybook.tasks.commands") == true)
    try await log.create([Topic.commands("tasks"), Topic.events("tasks")], partitions: 1)
    let api = try client(log, wait: .milliseconds(50))
    let id = MessageID.next()
    let undecided = await #expect(throws: Undecided.self) { try await write(api, "urgent", id: id, seconds: 0.05) }
    #expect(undecided?.failure.status == .unreachable)
    #expect(undecided?.failure.message.contains("\(id) is not decided yet") == true)
    await api.direct?.close()
    await log.close()
  }

  @Test func `a decision of an owner whose claim is over is told to nobody`() async throws {
    let folder = try TemporaryDirectory()
    let log = try EmbeddedLog(directory: folder.file("log"))
    try await log.create([Topic.commands("tasks"), Topic.events("tasks")], partitions: 1)
    let events = TopicPartition(Topic.events("tasks"), 0)
    var story = StoryBuilder()
    let (first, second) = (story.claim(), story.claim())
    try await log.append([first, second].map(\.record), to: events)
    let api = try client(log)
    let id = MessageID.next()
    async let answer = write(api, "urgent", id: id)
    let commands = try await log.reader(of: TopicPartition(Topic.commands("tasks"), 0), from: 0)
    _ = try await commands.next(atMost: 1)
    commands.close()
    func decision(_ receipt: String) throws -> Message {
      let data: JSON = ["name": "urgent"]
      let decision = Decision(
        command: id, commandType: "tasks.tag.create.v1", workspace: "main",
        content: Command.contentHash(
          type: "tasks.tag.create.v1", workspace: "main", canonicalData: data.canonicalBytes),
        offset: 0, isRepeat: false, eventCount: 0, answer: ["status": "accepted", "receipt": .string(receipt)])
      story.rewind(to: 0)
      return story.message(Message.Kind.decided, nil, decision.json, command: id)
    }
    var void = try decision("void")
    void.epoch = 1
    try await log.append([void, try decision("valid")].map(\.record), to: events)
    #expect(try await answer.json["receipt"] == "valid")
    await api.direct?.close()
    await log.close()
  }

  @Test func `events of the log are those that a server tells`() async throws {
    let folder = try TemporaryDirectory()
    let told = try await Household.running(folder.path) { daybook in
      await daybook.run("item add 'Buy milk' --tag urgent")
      await daybook.run("book add Dune")
      await daybook.run("tag create garden -w other")
      return [
        await daybook.run("events --ndjson --decisions").lines,
        await daybook.run("events --ndjson -w other --type 'tasks.*'").lines,
        await daybook.run("events --ndjson --from tasks/3/2 --to tasks/3/3").lines,
      ]
    }
    let log = try EmbeddedLog(directory: folder.file("log"), mode: .reading, holder: "test")
    func lines(_ workspace: String, _ query: [(name: String, value: String)]) async throws -> [String] {
      var events = try await LogEvents(log, partitionCount: 4, workspace: workspace, query: query)
      var lines: [String] = []
      try await events.forEach { lines.append($0.json.text) }
      return lines
    }
    #expect(try await lines("main", []) == told[0])
    #expect(try await lines("other", [("type", "tasks.*")]) == told[1])
    let between = try await lines("main", [("from", "tasks/3/2"), ("to", "tasks/3/3")])
    #expect(between.filter { !$0.contains("daybook.command.decided") } == told[2])
    #expect(told[0].count > 5 && told[1].count == 1)
    await log.close()
  }

  @Test(arguments: [
    ("item list", "this is read from a server: name one with --server URL"),
    ("item complete 1234abcd", "may be the end of an id, which only a server can look up"),
    ("visit remove 1234abcd", "may be the end of an id, which only a server can look up"),
    ("up --data /nonexistent --kafka 127.0.0.1:1", "up runs on the embedded log"),
    ("topics check --kafka here", "a Kafka broker is given as HOST:PORT"),
    ("log copy --from /tmp --to kafka:127.0.0.1:1", "daybook log copy needs --from embedded:DIR"),
  ])
  func `what Kafka alone cannot do is told in a sentence`(_ line: String, _ sentence: String) async throws {
    let capture = Capture(environment: ["DAYBOOK_KAFKA": "127.0.0.1:1", "NO_COLOR": "1"])
    #expect(await capture.run(Words.split(line)) == 2)
    #expect(capture.error.contains(sentence), "\(capture.error)")
    #expect(capture.error.split(separator: "\n").count == 1)
  }
}
