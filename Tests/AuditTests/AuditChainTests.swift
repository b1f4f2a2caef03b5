import AuditService
import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AuditChainTests {
  @Test func `the hash of a record is the one that is documented, for good`() throws {
    let message = Message(
      id: try #require(MessageID("01890000-0000-7000-8000-000000000001")), source: "/daybook/tasks",
      type: "tasks.item.added.v1", subject: "item/7", time: Timestamp(milliseconds: 1_750_000_000_123),
      workspace: "main", actor: nil, correlationID: "",
      causationID: MessageID("01890000-0000-7000-8000-000000000002"), sequence: 1, epoch: 4,
      data: Array(#"{"title":"Buy milk"}"#.utf8))
    let first = AuditChain.hash(message, after: AuditChain.start)
    #expect(Digest.hex(first) == "a7fcd6ef2247f4b97f31bbc3e3debd57a7bfcce202f7b49f6a6f2d9660d3df65")
    var later = message
    later.epoch = 5
    #expect(AuditChain.hash(later, after: AuditChain.start) == first)
    later.actor = ""
    #expect(AuditChain.hash(later, after: AuditChain.start) != first)
    #expect(AuditChain.hash(message, after: first) != first)
  }

  @Test func `a history as it was written holds`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.run { audit in
      let answer = await audit.get("/v1/history/verify").json
      #expect(answer["holds"] == true)
      #expect(answer["records"] == 11)
      #expect(answer["fault"] == .null)
    }
    let result = try AuditVerifier.verify(data: scene.data)
    #expect(result.holds)
    #expect(result.records == 11)
    #expect(try scene.head()?.ends == result.ends)
    await scene.log.close()
  }

  struct Tampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sql: String
    let fault: String
    init(_ name: String, _ sql: String, _ fault: String) {
      testDescription = name
      self.sql = sql
      self.fault = fault
    }
  }

  static let tamperings = [
    Tampering(
      "data", "UPDATE record SET data = CAST(replace(data, 'Buy milk', 'Buy silk') AS BLOB) WHERE sequence = 4",
      "tasks/3/4 (tasks.item.added.v1, item/"),
    Tampering("an actor", "UPDATE record SET actor = 'eve' WHERE sequence = 7", "tasks/3/7 (tasks.item.edited.v1"),
    Tampering("an actor taken away", "UPDATE record SET actor = NULL WHERE sequence = 7", "tasks/3/7 ("),
    Tampering(
      "a time", "UPDATE record SET time = time + 1 WHERE sequence = 2", "tasks/3/2 (daybook.command.decided.v1)"),
    Tampering(
      "a type", "UPDATE record SET type = 'tasks.item.kept.v1' WHERE sequence = 9", "tasks/3/9 (tasks.item.kept"),
    Tampering("a workspace", "UPDATE record SET workspace = 'other' WHERE sequence = 9", "tasks/3/9 ("),
    Tampering("a subject", "UPDATE record SET subject = NULL WHERE sequence = 9", "tasks/3/9 ("),
    Tampering("an id", "UPDATE record SET id = upper(id) WHERE sequence = 9", "tasks/3/9 ("),
    Tampering("a command", "UPDATE record SET command = NULL WHERE sequence = 9", "tasks/3/9 ("),
    Tampering("a hash", "UPDATE record SET hash = zeroblob(32) WHERE sequence = 5", "tasks/3/5 ("),
    Tampering("a record taken out", "DELETE FROM record WHERE sequence = 5", "tasks/3/5: this record is missing"),
    Tampering("the first taken out", "DELETE FROM record WHERE sequence = 1", "tasks/3/1: this record is missing"),
    Tampering("the end cut off", "DELETE FROM record WHERE sequence > 8", "tasks/3/9: this record is missing"),
    Tampering("all taken out", "DELETE FROM record", "tasks/3/1: this record is missing"),
    Tampering(
      "two swapped",
      """
      UPDATE record SET sequence = 100 WHERE sequence = 3;
      UPDATE record SET sequence = 3 WHERE sequence = 4;
      UPDATE record SET sequence = 4 WHERE sequence = 100;
      """, "tasks/3/3: this record is missing"),
  ]

  @Test(arguments: tamperings)
  func `a change of the history is found, and the record named`(_ tampering: Tampering) async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    try scene.alter(tampering.sql)
    let result = try AuditVerifier.verify(data: scene.data)
    #expect(result.fault?.description.hasPrefix(tampering.fault) == true, "\(result.fault?.description ?? "holds")")
    await scene.log.close()
  }

  @Test func `a text altered in the bytes of the files is found, and the record named`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    for name in try FileManager.default.contentsOfDirectory(atPath: scene.folder.file("audit")) {
      let url = URL(fileURLWithPath: scene.folder.file("audit/\(name)"))
      var bytes = try Data(contentsOf: url)
      while let found = bytes.range(of: Data("Buy milk".utf8)) {
        bytes.replaceSubrange(found, with: Data("Buy silk".utf8))
      }
      try bytes.write(to: url)
    }
    let result = try AuditVerifier.verify(data: scene.data)
    let fault = try #require(result.fault)
    #expect(fault.receipt == home.receipt(4))
    #expect(fault.type == "tasks.item.added.v1")
    #expect(fault.subject == "item/\(life.item)")
    await scene.log.close()
  }

  @Test func `a stopped history is verified without its log, and is refused while a process holds it`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    await scene.log.close()
    #expect(try AuditVerifier.verifyStopped(data: scene.data, holder: "test").holds)
    let lock = try FileLock(scene.data + "/audit/audit.lock", holder: "audit")
    defer { lock.release() }
    #expect(throws: StartupError.self) { try AuditVerifier.verifyStopped(data: scene.data, holder: "test") }
  }

  @Test func `a head file that is missing, foreign or of another history is found`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    let head = try #require(try scene.head())
    try FileManager.default.removeItem(atPath: scene.headFile)
    #expect(try AuditVerifier.verify(data: scene.data).fault?.reason.hasPrefix("head.json is missing") == true)
    try Data("{}".utf8).write(to: URL(fileURLWithPath: scene.headFile))
    #expect(try AuditVerifier.verify(data: scene.data).fault != nil)
    var other = head
    other.ends[home] = AuditHead.End(sequence: 8, hash: AuditChain.start)
    try other.write(to: scene.headFile)
    #expect(try AuditVerifier.verify(data: scene.data).fault?.receipt == home.receipt(8))
    // The database may be ahead of it.
    let db = try Connection(scene.database, .reading)
    let hash = try db.prepare("SELECT hash FROM record WHERE sequence = 8").first { $0.bytes(0) }
    db.close()
    other.ends[home] = AuditHead.End(sequence: 8, hash: try #require(hash))
    try other.write(to: scene.headFile)
    #expect(try AuditVerifier.verify(data: scene.data).holds)
    await scene.log.close()
  }

  @Test func `nothing is added to a history that is not the sealed one`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    let head = try scene.head()
    try scene.alter("UPDATE record SET hash = zeroblob(32) WHERE sequence = 11")
    try await scene.append(life.story.command(), to: home)
    try await scene.run { audit in
      #expect(audit.follower.progress.lane(home)?.stop != nil)
      #expect(!scene.health.isReady)
      #expect(audit.follower.progress.lane(home)?.position.sequence == 11)
    }
    #expect(try scene.head() == head)
    await scene.log.close()
  }

  @Test func `a history that was cut off is folded again up to what was sealed`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    let head = try scene.head()
    // An older copy of the database, the head file of today.
    for name in ["audit.sqlite", "audit.sqlite-wal", "audit.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: scene.folder.file("audit/\(name)"))
    }
    try await scene.fold()
    #expect(try scene.head() == head)
    #expect(try AuditVerifier.verify(data: scene.data).holds)
    await scene.log.close()
  }

  @Test func `a rebuild has the same head, and is refused while the audit runs or where the log is another`()
    async throws
  {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    func rebuild() async throws {
      try await AuditService.rebuild(data: scene.data, log: scene.log, partitionCount: AuditScene.partitionCount)
    }
    try await scene.run { _ in
      await #expect(throws: StartupError.self) {
        try await AuditService.rebuild(data: scene.data, log: scene.log, partitionCount: AuditScene.partitionCount)
      }
    }
    let head = try #require(try scene.head())
    try await rebuild()
    #expect(try scene.head() == head)
    #expect(try AuditVerifier.verify(data: scene.data).holds)
    try scene.alter("UPDATE record SET actor = 'eve' WHERE sequence = 7")
    try await rebuild()
    #expect(try AuditVerifier.verify(data: scene.data).holds)
    var other = head
    other.ends[home] = AuditHead.End(sequence: 8, hash: AuditChain.start)
    try other.write(to: scene.headFile)
    await #expect(throws: StartupError.self) { try await rebuild() }
    #expect(try scene.head() == other)
    await scene.log.close()
  }

  @Test func `a check names the first row that does not follow from the log`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    try await scene.append(life.tell(), to: home)
    try await scene.fold()
    func check() async throws -> FoldDifference? {
      try await AuditService.check(data: scene.data, log: scene.log, partitionCount: AuditScene.partitionCount)
    }
    #expect(try await check() == nil)
    try scene.alter("UPDATE entity SET name = 'Sell milk' WHERE kind = 'item'")
    let difference = try #require(try await check())
    #expect(difference.table == "entity")
    #expect(difference.description.contains("Sell milk"))
    await scene.log.close()
  }

  @Test func `however partitions interleave, the tables are the same`() async throws {
    let scene = try await AuditScene()
    var life = Life()
    let messages = life.tell()
    var library = StoryBuilder("library", 3)
    let books =
      [library.claim()]
      + (0..<6).flatMap { _ in
        library.command([
          .init("library.author.added.v1", "author/\(life.item)", ["id": JSON(life.item), "name": "Ada"])
        ])
      }
    try await scene.run { audit in
      // Turn by turn while it runs; the check folds partition behind partition.
      for index in 0..<max(messages.count, books.count) {
        if index < messages.count { try await scene.append([messages[index]], to: home) }
        if index < books.count { try await scene.append([books[index]], to: ServicePartition("library", 3)) }
      }
      try await audit.follower.progress.wait(
        for: [home.receipt(11), ServicePartition("library", 3).receipt(12)], timeout: .seconds(30))
    }
    let difference = try await AuditService.check(
      data: scene.data, log: scene.log, partitionCount: AuditScene.partitionCount)
    #expect(difference == nil)
    await scene.log.close()
  }

  @Test func `what does not count goes to the side, and a history is only added to`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    let start = [story.claim()] + story.command([.init("tasks.a.b.v1")])
    var stray = start[1]
    stray.epoch = 0
    try await scene.append(start + [stray] + start.dropFirst() + story.command(), to: home)
    try await scene.fold()
    let db = try Connection(scene.database, .writing)
    defer { db.close() }
    #expect(
      try db.prepare("SELECT kind || ' ' || offset FROM aside ORDER BY offset").map { $0.string(0) }
        == ["claim 0", "void 3", "duplicate 4", "duplicate 5"])
    #expect(try db.prepare("SELECT count(*) FROM record").first { $0.int(0) } == 3)
    for sql in [
      "UPDATE record SET actor = 'eve'", "DELETE FROM record", "UPDATE aside SET kind = 'x'", "DELETE FROM aside",
    ] {
      #expect(throws: SQLiteError.self) { try db.execute(sql) }
    }
    await scene.log.close()
  }

  @Test func `types and versions that nobody knows yet are history too`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    try await scene.append(
      [story.claim()] + story.command([.init("tasks.item.added.v9"), .init("tasks.future.x.v1", "future/1")]), to: home)
    try await scene.run { audit in
      try await audit.expectEvents([], ["tasks/3/1", "tasks/3/2", "tasks/3/3"])
      #expect(scene.health.isReady)
    }
    await scene.log.close()
  }
}
