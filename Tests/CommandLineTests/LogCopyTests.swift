import EventLog
import Messaging
import ServiceKit
import TestSupport
import Testing

@testable import CommandLineClient

@Suite(.timeLimit(.minutes(2))) struct LogCopyTests {
  private let names = (from: "embedded:old", to: "kafka:new")

  private func copy(
    _ from: any EventLog, _ to: any EventLog, partitionCount: Int = 4
  ) async throws -> [LogCopy.Report] {
    try await LogCopy(source: from, target: to, partitionCount: partitionCount, names: names).run { _ in }
  }

  private func answers(_ daybook: Household) async -> [String] {
    var told: [String] = []
    for line in ["item list --json", "book list --json", "history --json", "events --ndjson --decisions"] {
      told.append(await daybook.run(line).output.replacing(/"asOf":\{[^}]*\}/, with: ""))
    }
    return told
  }

  @Test func `services that start on the copy with empty folders answer as before, and take commands from 0`()
    async throws
  {
    let (old, new) = (try TemporaryDirectory(), try TemporaryDirectory())
    let before = try await Household.running(old.path) { daybook in
      await daybook.run("project create Chores")
      await daybook.run("item add 'Buy milk' --project Chores --tag urgent")
      await daybook.run("tag create URGENT")
      await daybook.run("book add Dune --author 'Frank Herbert'")
      await daybook.run("project delete Chores --yes")
      return await answers(daybook)
    }
    let source = try EmbeddedLog(directory: old.file("log"), mode: .reading, holder: "test")
    let target = try EmbeddedLog(directory: new.file("log"), holder: "test")
    let reports = try await copy(source, target)
    #expect(reports.count == 12)
    #expect(try await copy(source, target) == reports, "a copy that is complete is not done again")
    await source.close()
    await target.close()
    try await Household.running(new.path) { daybook in
      #expect(await answers(daybook) == before)
      #expect(await daybook.run("tag create later").status == 0)
      #expect(await daybook.run("tag create Urgent").status == 1)
    }
    for part in ["tasks", "projection", "audit"] {
      #expect(await Household.stopped("rebuild \(part) --check --data \(new.path)").status == 0)
    }
  }

  /// A log with one partition of tasks, filled as told.
  private func log(_ folder: TemporaryDirectory, _ name: String, _ records: [NewRecord]) async throws -> EmbeddedLog {
    let log = try EmbeddedLog(directory: folder.file(name))
    try await log.create([Topic.commands("tasks"), Topic.events("tasks")], partitions: 1)
    if !records.isEmpty { try await log.append(records, to: events) }
    return log
  }
  private let events = TopicPartition(Topic.events("tasks"), 0)

  private func ids(_ log: any EventLog) async throws -> [MessageID] {
    let reader = try await log.reader(of: events, from: 0)
    defer { reader.close() }
    return try await reader.next(atMost: 100).map { try Message($0).id }
  }

  private func times(_ log: any EventLog) async throws -> [Timestamp] {
    let reader = try await log.reader(of: events, from: 0)
    defer { reader.close() }
    return try await reader.next(atMost: 3).map(\.time)
  }

  @Test func `void records, duplicates and what a claim voided are left out, and a moved record ends it`() async throws
  {
    let folder = try TemporaryDirectory()
    var story = StoryBuilder()
    let first = [story.claim()] + story.command([.init("tasks.tag.created.v1")])
    let voided = story.message("tasks.tag.created.v1")
    story.rewind(to: 2)
    let second = [story.claim()] + story.command([.init("tasks.tag.created.v1")])
    var late = voided
    late.epoch = 1
    let source = try await log(
      folder, "old", (first + [voided] + second + [late] + Array(second.dropFirst())).map(\.record))
    let target = try await log(folder, "new", [])
    let reports = try await copy(source, target, partitionCount: 1)
    let copied = try await ids(target)
    #expect(copied.dropLast() == (first + second).map(\.id)[...])
    #expect(reports.first { $0.partition.service == "tasks" }?.records == 6)
    let moved = try Message(try await target.reader(of: events, from: 6).next(atMost: 1)[0])
    #expect(moved.type == Message.Kind.moved && moved.epoch == 2 && moved.sequence == nil)
    #expect(try JSON(parsing: moved.data) == ["from": "embedded:old", "to": "kafka:new"])
    #expect(try await times(source) == times(target))
    await source.close()
    await target.close()
  }

  @Test func `a copy that was stopped goes on, and another history is refused`() async throws {
    let folder = try TemporaryDirectory()
    var story = StoryBuilder()
    let all = ([story.claim()] + (0..<5).flatMap { _ in story.command([.init("tasks.tag.created.v1")]) }).map(\.record)
    let source = try await log(folder, "old", all)
    let reader = try await source.reader(of: events, from: 0)
    let part = try await reader.next(atMost: 4).map(NewRecord.init)
    let begun = try await log(folder, "begun", part)
    #expect(try await copy(source, begun, partitionCount: 1).contains { $0.records == 11 })
    let other = try await log(folder, "other", [part[0], part[2]])
    await #expect(throws: Failure.self) { try await copy(source, other, partitionCount: 1) }
    try await begun.append([all[1]], to: events)
    let error = await #expect(throws: Failure.self) { try await copy(source, begun, partitionCount: 1) }
    #expect(error?.message.contains("in use") == true)
    for log in [source, begun, other] { await log.close() }
  }

  @Test func `an undecided command, a used topic and another number of partitions are refused, nothing is written`()
    async throws
  {
    let folder = try TemporaryDirectory()
    var story = StoryBuilder()
    let source = try await log(folder, "old", ([story.claim()] + story.command()).map(\.record))
    let commands = TopicPartition(Topic.commands("tasks"), 0)
    let command = Message(
      id: .next(), source: "/test", type: "tasks.tag.create.v1", time: .now(), workspace: "main", data: Array("{}".utf8)
    )
    // The one decided command, at offset 0, then one more.
    try await source.append([command.record], to: commands)
    let used = try await log(folder, "used", [])
    try await used.append([command.record], to: commands)
    await refuses(source, used, "is not empty")
    let wide = try EmbeddedLog(directory: folder.file("wide"))
    try await wide.create([Topic.events("tasks")], partitions: 2)
    await refuses(source, wide, "has 2 partitions, and this log has 1")
    try await source.append([command.record], to: commands)
    let target = try await log(folder, "new", [])
    await refuses(source, target, "tasks/0 holds 1 commands that are not decided")
    #expect(try await target.bounds(of: events).isEmpty)
    for log in [source, used, wide, target] { await log.close() }
  }

  private func refuses(_ from: any EventLog, _ to: any EventLog, _ says: String) async {
    let error = await #expect(throws: Failure.self) { try await copy(from, to, partitionCount: 1) }
    #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    #expect(error?.status == .refused)
  }
}
