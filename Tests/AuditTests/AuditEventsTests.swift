import AuditService
import HTTP
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct AuditEventsTests {
  @Test func `events of several partitions are merged by time, service, partition and sequence`() async throws {
    let scene = try await AuditScene()
    var tasks = StoryBuilder("tasks", 3)
    var library = StoryBuilder("library", 3)
    var elsewhere = StoryBuilder("library", 0)
    library.time.milliseconds += 1000
    try await scene.append([tasks.claim()] + tasks.command([.init("tasks.a.b.v1")]) + tasks.command(), to: home)
    try await scene.append([library.claim()] + library.command([.init("library.a.b.v1")]), to: .init("library", 3))
    try await scene.append([elsewhere.claim()] + elsewhere.command(workspace: "cabin"), to: .init("library", 0))
    try await scene.run { audit in
      try await audit.expectEvents([], ["tasks/3/1", "tasks/3/2", "library/3/1", "library/3/2", "tasks/3/3"])
      try await audit.expectEvents(
        [("workspace", "*")], ["library/0/1", "tasks/3/1", "tasks/3/2", "library/3/1", "library/3/2", "tasks/3/3"])
      try await audit.expectEvents([("workspace", "cabin")], ["library/0/1"])
      try await audit.expectEvents([("type", "library.*")], ["library/3/1"])
      try await audit.expectEvents([("from", "library/3/1")], ["library/3/1", "library/3/2", "tasks/3/3"])
      try await audit.expectEvents([("to", "tasks/3/1")], ["tasks/3/1", "tasks/3/2"])
    }
    await scene.log.close()
  }

  @Test func `many events come in pages, each once`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    try await scene.append(
      [story.claim()] + story.command(Array(repeating: .init("tasks.a.b.v1"), count: 1700)), to: home)
    try await scene.run { audit in
      let receipts = try await audit.eventReceipts([])
      #expect(receipts == (1...1701).map { "tasks/3/\($0)" })
    }
    await scene.log.close()
  }

  @Test func `with follow what was there comes first, then what happens, until the audit stops`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    let first = [story.claim()] + story.command([.init("tasks.a.b.v1")])
    let second = story.command([.init("tasks.a.b.v1"), .init("tasks.a.c.v1")], workspace: "other") + story.command()
    try await scene.append(first, to: home)
    let started = Gate()
    let seen = try await scene.run { audit in
      let stream = try await audit.stream([("follow", "true")])
      let reading = Task {
        var receipts: [String] = []
        for try await chunk in stream {
          receipts += AuditService.receipts(chunk)
          if receipts.count == 2 { started.open() }
        }
        return receipts
      }
      await started.wait()
      try await scene.append(second, to: home)
      try await audit.follower.progress.wait(for: [home.receipt(6)], timeout: .seconds(30))
      return reading
    }
    // The audit has stopped, so the stream has ended.
    let receipts = try await seen.value
    #expect(receipts.prefix(2) == ["tasks/3/1", "tasks/3/2"])
    #expect(receipts.dropFirst(2).allSatisfy { $0 == "tasks/3/6" })
    await scene.log.close()
  }

  @Test func `a stream that is followed ends when its client goes`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    try await scene.append([story.claim()] + story.command(), to: home)
    try await scene.run { audit in
      let stream = try await audit.stream([("follow", "true")])
      let started = Gate()
      let reading = Task {
        for try await _ in stream { started.open() }
      }
      await started.wait()
      reading.cancel()
      _ = await reading.result
    }
    await scene.log.close()
  }

  @Test func `a line is the whole record`() async throws {
    let scene = try await AuditScene()
    var story = StoryBuilder("tasks", 3)
    let id = MessageID.next()
    let command = MessageID.next()
    let data: JSON = ["id": JSON(id), "title": "Çà \u{1F468}\u{200D}\u{1F469}"]
    try await scene.append(
      [story.claim()] + story.command([.init("tasks.item.added.v1", "item/\(id)", data)], id: command), to: home)
    let time = story.time
    try await scene.run { audit in
      var lines: [[UInt8]] = []
      for try await chunk in try await audit.stream([("type", "tasks.*")]) {
        lines += chunk.split(separator: 0x0a).map { Array($0) }
      }
      let line = try JSON(parsing: try #require(lines.first))
      #expect(lines.count == 1)
      #expect(line["data"] == data)
      #expect(line["subject"] == .string("item/\(id)"))
      #expect(line["receipt"] == "tasks/3/1")
      #expect(line["time"] == JSON(time))
      #expect(line["actor"] == "ada")
      #expect(line["command"] == JSON(command))
      #expect(line["correlation"] == JSON(command))
      #expect(line["workspace"] == "main")
    }
    await scene.log.close()
  }
}
