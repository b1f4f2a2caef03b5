import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite struct FollowerCoreTests {
  /// A partition's records, and what a follower makes of them.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let expected: String
    let position: Int64
    let sequence: Int64
    let isStopped: Bool
    let records: [Record]

    init(
      _ name: String, _ expected: String, at position: Int64, sequence: Int64, stopped: Bool = false,
      _ build: (inout StoryBuilder) -> [Message]
    ) {
      testDescription = name
      self.expected = expected
      self.position = position
      self.sequence = sequence
      isStopped = stopped
      var story = StoryBuilder()
      records = build(&story).records()
    }
  }

  static let added = StoryBuilder.Event("tasks.item.added.v1", "item/1", ["title": "Milk"])

  static let cases: [Case] = [
    Case("a command is applied as a whole", "1 2 3 | claim", at: 4, sequence: 3) {
      [$0.claim()] + $0.command([added, added])
    },
    Case("half a command is not applied, and the position stays before it", "1 2 | claim", at: 3, sequence: 2) {
      [$0.claim()] + $0.command([added]) + $0.command([added, added]).dropLast()
    },
    Case("a refusal is applied", "1 | claim", at: 2, sequence: 1) {
      [$0.claim()] + $0.command(refused: .invalid("title", "is required"))
    },
    Case("a record of an older epoch is void", "1 2 3 4 | claim claim void", at: 7, sequence: 4) {
      var late = $0
      let first = [$0.claim()] + $0.command([added])
      _ = late.claim()
      _ = late.command([added])
      return first + [$0.claim()] + [late.message("tasks.item.added.v1")] + $0.command([added])
    },
    Case("a claim that is not above the last one is void", "1 2 | claim void", at: 4, sequence: 2) {
      var other = $0
      return [$0.claim(), other.claim()] + $0.command([added])
    },
    Case("a claim voids the unfinished command before it", "1 2 | claim voided voided claim", at: 6, sequence: 2) {
      let lost = [$0.claim()] + $0.command([added, added]).dropLast()
      $0.rewind(to: 0)
      return lost + [$0.claim()] + $0.command([added])
    },
    Case("a void record inside a command is told once with it", "1 2 | claim void", at: 4, sequence: 2) {
      let claim = $0.claim()
      let command = $0.command([added])
      var stray = command[0]
      stray.epoch = 0
      return [claim, command[0], stray, command[1]]
    },
    Case("a void record inside an unfinished command waits with it", "| claim", at: 1, sequence: 0) {
      let claim = $0.claim()
      let command = $0.command([added])
      var stray = command[0]
      stray.epoch = 0
      return [claim, command[0], stray]
    },
    Case("records that come twice are duplicates", "1 2 | claim duplicate duplicate", at: 5, sequence: 2) {
      let claim = $0.claim()
      let command = $0.command([added])
      return [claim] + command + command
    },
    Case("a duplicate far back is known", "1 2 3 4 | claim duplicate duplicate", at: 7, sequence: 4) {
      let claim = $0.claim()
      let command = $0.command([added])
      return [claim] + command + $0.command([added]) + command
    },
    Case("another id at a sequence stops", "1 2 | claim", at: 3, sequence: 2, stopped: true) {
      let start = [$0.claim()] + $0.command([added])
      $0.rewind(to: 0)
      return start + $0.command([added]) + $0.command([added])
    },
    Case("a gap stops", "1 2 | claim", at: 3, sequence: 2, stopped: true) {
      let start = [$0.claim()] + $0.command([added])
      _ = $0.message("tasks.item.added.v1")
      return start + $0.command([added])
    },
    Case("a gap inside a command stops before that command", "1 2 | claim", at: 3, sequence: 2, stopped: true) {
      let start = [$0.claim()] + $0.command([added])
      var command = $0.command([added, added, added])
      command.remove(at: 1)
      return start + command
    },
    Case("a newer version of a known type stops", "1 2 | claim", at: 3, sequence: 2, stopped: true) {
      [$0.claim()] + $0.command([added]) + $0.command([added, .init("tasks.item.added.v2")])
    },
    Case("an unknown type is passed over", "1 3 4 5 | claim", at: 6, sequence: 5) {
      [$0.claim()] + $0.command([added, .init("tasks.future.made.v1")]) + $0.command([added])
    },
    Case("what is no message is void", "1 2 | claim void", at: 4, sequence: 2) {
      var bare = Message(
        id: .next(), source: "/daybook/tasks", type: "tasks.item.added.v1", time: $0.time, workspace: "main", data: [])
      bare.sequence = 7
      return [$0.claim(), bare] + $0.command([added])
    },
    Case("records before the first claim are void", "1 | void claim", at: 3, sequence: 1) {
      var early = $0
      var stray = early.message("tasks.item.added.v1")
      stray.epoch = 9
      return [stray, $0.claim()] + $0.command()
    },
  ]

  @Test(arguments: cases)
  func `a follower applies, skips or stops`(_ example: Case) throws {
    let db = try Connection("", .memory)
    let core = try FollowerCore<NotesEffect>(db)
    core.take(example.records, of: first)
    try core.fold()
    try expect(example, core, db)
  }

  @Test(arguments: cases)
  func `every way of cutting the records into batches and restarts gives the same`(_ example: Case) throws {
    for size in 1...3 {
      let db = try Connection("", .memory)
      var core = try FollowerCore<NotesEffect>(db)
      var at = 0
      while at < example.records.count, core.stop(of: first) == nil {
        let end = min(at + size, example.records.count)
        core.take(Array(example.records[at..<end]), of: first)
        try core.fold()
        // A restart reads again from the stored position.
        let position = try #require(core.position(of: first)).offset
        if core.stop(of: first) == nil { core = try FollowerCore<NotesEffect>(db) }
        at = max(end, Int(position))
        core.take(Array(example.records[Int(position)..<at]), of: first)
        try core.fold()
      }
      try expect(example, core, db)
    }
  }

  @Test(arguments: cases.filter { !$0.isStopped && $0.position == $0.records.count })
  func `reading everything twice changes nothing`(_ example: Case) throws {
    let db = try Connection("", .memory)
    let core = try FollowerCore<NotesEffect>(db)
    core.take(example.records, of: first)
    try core.fold()
    let once = try NotesEffect.story(db)
    core.take(example.records, of: first)
    #expect(!core.hasWork)
    // Not by offset alone: the same records again behind the others are duplicates, claims and epochs void.
    let again = example.records.map {
      Record(offset: $0.offset + 100, time: $0.time, key: $0.key, headers: $0.headers, value: $0.value)
    }
    core.take(again, of: first)
    try core.fold()
    #expect(try NotesEffect.story(db).split(separator: "|")[0] == once.split(separator: "|")[0])
    #expect(core.stop(of: first) == nil)
  }

  private func expect(_ example: Case, _ core: FollowerCore<NotesEffect>, _ db: Connection) throws {
    #expect(try NotesEffect.story(db) == example.expected)
    let position = try #require(core.position(of: first))
    #expect(position.offset == example.position)
    #expect(position.sequence == example.sequence)
    #expect((core.stop(of: first) != nil) == example.isStopped)
    #expect(try FollowerPosition.all(db)[first] == (position.offset == 0 ? nil : position))
  }

  @Test func `a stop names the record and what to do, and other partitions go on`() throws {
    let db = try Connection("", .memory)
    let core = try FollowerCore<NotesEffect>(db, [first, second])
    var good = StoryBuilder("tasks", 1)
    var bad = StoryBuilder("tasks", 0)
    let start = [bad.claim()] + bad.command([Self.added])
    let strange = bad.command([.init("tasks.item.added.v2")])
    core.take((start + strange).records(), of: first)
    core.take(([good.claim()] + good.command([Self.added])).records(), of: second)
    try core.fold()
    #expect(try NotesEffect.story(db, first) == "1 2 | claim")
    #expect(try NotesEffect.story(db, second) == "1 2 | claim")
    let stop = try #require(core.stop(of: first)?.description)
    #expect(
      stop == "stopped before tasks/0/3 (offset 3, tasks.item.added.v2, id \(strange[0].id)): tasks.item.added.v2 is "
        + "newer than this build knows; run the newer build: it goes on at this record")
    #expect(core.stop(of: second) == nil)
    core.take(good.command([Self.added]).records(from: 3), of: second)
    try core.fold()
    #expect(try NotesEffect.story(db, second) == "1 2 3 4 | claim")
  }

  @Test func `an event that cannot be applied leaves nothing of its command, and a mended build goes on there`() throws
  {
    let db = try Connection("", .memory)
    var core = try FollowerCore<NotesEffect>(db)
    core.effect.refuses = "tasks.item.moved.v1"
    var story = StoryBuilder()
    let records =
      ([story.claim()] + story.command([Self.added])
      + story.command([Self.added, .init("tasks.item.moved.v1")]) + story.command([Self.added])).records()
    core.take(records, of: first)
    try core.fold()
    #expect(try NotesEffect.story(db) == "1 2 | claim")
    #expect(core.stop(of: first)?.reason.contains("no title") == true)
    core = try FollowerCore<NotesEffect>(db)
    core.take(Array(records.dropFirst(Int(core.next(of: first)))), of: first)
    try core.fold()
    #expect(try NotesEffect.story(db) == "1 2 3 4 5 6 7 | claim")
  }

  @Test func `nothing is folded while the disk is full, and everything after`() throws {
    let db = try Connection("", .memory)
    let core = try FollowerCore<NotesEffect>(db)
    var story = StoryBuilder()
    core.effect.isDiskFull = { true }
    core.take(([story.claim()] + story.command([Self.added])).records(), of: first)
    #expect(throws: SQLiteError.self) { try core.fold() }
    #expect(try NotesEffect.story(db) == "|")
    #expect(core.stop(of: first) == nil)
    core.effect.isDiskFull = { false }
    try core.fold()
    #expect(try NotesEffect.story(db) == "1 2 | claim")
  }

  @Test func `ten thousand events of one command are seen all or not at all`() throws {
    let db = try Connection("", .memory)
    var core = try FollowerCore<NotesEffect>(db)
    var story = StoryBuilder()
    let records =
      ([story.claim()] + story.command([Self.added])
      + story.command(Array(repeating: Self.added, count: 10_000))).records()
    for chunk in stride(from: 0, to: 7000, by: 500) {
      core.take(Array(records[chunk..<chunk + 500]), of: first)
      try core.fold()
    }
    #expect(core.position(of: first)?.offset == 3)
    // It dies in the middle.
    core = try FollowerCore<NotesEffect>(db)
    #expect(core.next(of: first) == 3)
    #expect(try NotesEffect.story(db) == "1 2 | claim")
    core.take(Array(records[3...]), of: first)
    try core.fold()
    #expect(core.position(of: first)?.sequence == 10_003)
    #expect(try db.prepare("SELECT count(*) FROM note").first { $0.int(0) } == 10_003)
  }

  @Test func `ten thousand events whose decision was lost are void, and decided again they are folded once`() throws {
    let db = try Connection("", .memory)
    let core = try FollowerCore<NotesEffect>(db)
    var story = StoryBuilder()
    let many = Array(repeating: Self.added, count: 10_000)
    let lost = [story.claim()] + story.command([Self.added]) + story.command(many).dropLast(5000)
    story.rewind(to: 2)
    let again = [story.claim()] + story.command(many)
    core.take((lost + again).records(), of: first)
    try core.fold()
    #expect(core.stop(of: first) == nil)
    #expect(core.position(of: first)?.sequence == 10_003)
    #expect(try db.prepare("SELECT count(*) FROM note").first { $0.int(0) } == 10_003)
    #expect(try db.prepare("SELECT count(*) FROM told WHERE what = 'voided'").first { $0.int(0) } == 5001)
  }

  @Test func `a file of another log or number of partitions is refused`() throws {
    let db = try Connection("", .memory)
    _ = try FollowerCore<NotesEffect>(db)
    #expect(throws: StartupError.self) { try FollowerCore<NotesEffect>(db, log: "another") }
    #expect(throws: StartupError.self) {
      try FollowerCore<NotesEffect>(
        db, installation: Installation(logID: "log", partitionCount: 8), partitions: [first],
        makeEffect: NotesEffect.init)
    }
  }

  @Test func `each way of mixing partitions gives the same rows`() throws {
    var one = StoryBuilder("tasks", 0)
    var two = StoryBuilder("tasks", 1)
    let a = ([one.claim()] + one.command([Self.added]) + one.command()).records()
    let b = ([two.claim()] + two.command() + two.command([Self.added, Self.added])).records()
    var digests: Set<String> = []
    for order in 0..<3 {
      let db = try Connection("", .memory)
      let core = try FollowerCore<NotesEffect>(db, [first, second])
      if order == 0 { core.take(a, of: first) }
      for (x, y) in zip(a, b) {
        if order == 2 { core.take([x], of: first) }
        core.take([y], of: second)
        try core.fold()
      }
      core.take(b, of: second)
      core.take(a, of: first)
      try core.fold()
      digests.insert(try NotesEffect.story(db, first) + NotesEffect.story(db, second))
    }
    #expect(digests.count == 1)
  }
}
