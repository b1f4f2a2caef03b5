import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OwnerRebuildTests {
  typealias Owner = RunningOwner<NamesDomain>
  typealias Rebuild = OwnerRebuild<NamesDomain>

  let directory: TemporaryDirectory
  let log: EmbeddedLog
  let context: ServiceContext
  var path: String { directory.file("data/names/0.sqlite") }

  init() async throws {
    directory = try TemporaryDirectory()
    log = try EmbeddedLog(directory: directory.file("log"))
    context = ServiceContext(
      log: log, data: directory.file("data"), partitionCount: 1, logger: .silent)
  }

  /// A stopped owner that has decided a few commands.
  private func story() async throws {
    let owner = try await Owner(log: log, data: context.data)
    for name in ["ann", "bob", "cid"] { try await owner.send("names.name.add.v1", ["name": .string(name)]) }
    try await owner.send("names.name.add.v1", ["name": "ann"])
    _ = try await owner.ask("names.name.remove.v1", ["name": "bob", "touches": 2])
    try await owner.stop()
  }

  private func alter(_ sql: String) throws {
    let db = try Connection(path, .writing)
    try db.execute(sql)
    db.close()
  }

  @Test func `a database that was removed is built anew, the same row by row, and goes on`() async throws {
    try await story()
    let before = try await Rebuild.check(context)[0]
    #expect(before.difference == nil && before.sequence == 11)
    try FileManager.default.removeItem(atPath: path)
    let report = try await Rebuild.rebuild(context)[0]
    #expect(report.digests.map(\.digest) == before.digests.map(\.digest))
    #expect(try await Rebuild.check(context)[0].difference == nil)
    #expect(!FileManager.default.fileExists(atPath: path + ".rebuild"))
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    let owner = try await Owner(log: log, data: context.data)
    #expect(try await owner.ask("names.name.add.v1", ["name": "ann"]).answer["code"] == "name-taken")
    try await owner.stop()
    await log.close()
  }

  @Test(arguments: [
    (
      "UPDATE name SET name = 'bill' WHERE name = 'ann'",
      "name, workspace main, name ann: the database lacks a row that follows from the log"
    ),
    (
      "UPDATE name SET touched = 5 WHERE name = 'cid'",
      "name, workspace main, name cid: touched is 5, but 0 follows from the log"
    ),
    (
      "INSERT INTO name VALUES ('main', 'dan', 'x', 0, 1)",
      "name, workspace main, name dan: the database has a row that does not follow from the log"
    ),
    (
      "UPDATE remembered_command SET answer = replace(answer, 'name-taken', 'name-broken')",
      "answer is"
    ),
    ("DELETE FROM remembered_command WHERE sequence = 2", "the database lacks a row that follows from the log"),
    ("UPDATE owner_state SET command_position = 4", "command_position is 4, but 5 follows from the log"),
    ("UPDATE owner_state SET last_time = last_time + 1", "last_time is"),
  ])
  func `a changed row is named, with what it should be`(sql: String, words: String) async throws {
    try await story()
    try alter(sql)
    let report = try await Rebuild.check(context)[0]
    #expect(report.difference?.description.contains(words) == true, "\(report.difference?.description ?? "none")")
    _ = try await Rebuild.rebuild(context)
    #expect(try await Rebuild.check(context)[0].difference == nil)
    await log.close()
  }

  @Test func `what was decided but not published belongs to the database when it is compared`() async throws {
    try await story()
    let scripted = ScriptedLog(log) { records, write async throws(LogError) in
      if records.first?.sequence == nil { return try await write(records) }
      throw .uncertain("the broker is away")
    }
    let owner = try await Owner(log: scripted, data: context.data, logger: lines.logger)
    let id = try await owner.send("names.name.add.v1", ["name": "dan"])
    try await lines.wait(for: "the broker is away")
    try await owner.stop()
    let report = try await Rebuild.check(context)[0]
    #expect(report.difference == nil && report.sequence == 13)
    try alter("UPDATE name SET touched = 5 WHERE name = 'dan'")
    #expect(try await Rebuild.check(context)[0].difference != nil)
    // Built anew it does not know the command; then it decides it.
    #expect(try await Rebuild.rebuild(context)[0].sequence == 11)
    let again = try await Owner(log: log, data: context.data)
    #expect(try await again.decision(of: id).isAccepted)
    try await again.stop()
    await log.close()
  }
  let lines = LogLines()

  @Test func `an older copy is compared with the log as far as it goes`() async throws {
    try await story()
    try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    let owner = try await Owner(log: log, data: context.data)
    _ = try await owner.ask("names.name.add.v1", ["name": "eve"])
    try await owner.stop()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    #expect(try await Rebuild.check(context)[0].difference == nil)
    await log.close()
  }

  @Test func `while the owner runs it is refused, naming the process, and the files stay`() async throws {
    try await story()
    let owner = try await Owner(log: log, data: context.data)
    for operation in [Rebuild.rebuild, Rebuild.check] {
      let error = await #expect(throws: StartupError.self) { _ = try await operation(context) { _ in } }
      #expect(error?.description.contains("names/0 (process \(getpid()))") == true)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.file("data/names")).allSatisfy {
        !$0.contains("rebuild") && !$0.contains("check")
      })
    _ = try await owner.ask("names.name.add.v1", ["name": "fay"])
    try await owner.stop()
    await log.close()
  }

  @Test func `the database of another log is not built anew from this one, and stays as it is`() async throws {
    try await story()
    let before = FileManager.default.contents(atPath: path)
    await log.close()
    let other = try EmbeddedLog(directory: directory.file("other"))
    try await other.create([Topic.commands("names"), Topic.events("names")], partitions: 1)
    let context = ServiceContext(log: other, data: context.data, partitionCount: 1, logger: .silent)
    let error = await #expect(throws: StartupError.self) { _ = try await Rebuild.rebuild(context) }
    #expect(error?.description.contains("belongs to the log \(log.id)") == true)
    #expect(FileManager.default.contents(atPath: path) == before)
    await other.close()
  }

  @Test func `where the log cannot be folded the old file stays as it is`() async throws {
    try await story()
    let before = FileManager.default.contents(atPath: path)
    let bad = Message(
      id: .next(), source: "/daybook/names", type: "names.name.renamed.v1", time: .now(), workspace: "main",
      sequence: 12, epoch: 1, data: Array("{}".utf8))
    var decided = StoryBuilder("names")
    _ = decided.claim()
    for _ in 0..<12 { _ = decided.message("x") }
    let writer = try await log.writer(to: TopicPartition(Topic.events("names"), 0))
    try await writer.append([bad.record] + decided.command([]).map(\.record))
    let error = await #expect(throws: OwnerFault.self) { _ = try await Rebuild.rebuild(context) }
    #expect(error?.description.contains("record 12 of names/0, a names.name.renamed.v1") == true)
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(!FileManager.default.fileExists(atPath: path + ".rebuild"))
    await log.close()
  }
}
