import EventLog
import Foundation
import Messaging
import SQLite
import TestSupport
import Testing

/// What the embedded log says of the files that it finds, and how it leaves them.
struct EmbeddedLogOpeningTests {
  let directory: TemporaryDirectory
  let partition = TopicPartition("t", 0)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.file("log.sqlite") }

  private func filled(_ count: Int = 3) async throws {
    let log = try EmbeddedLog(directory: directory.path)
    try await log.create(["t"], partitions: 1)
    for number in 0..<count {
      try await log.append(
        [NewRecord(key: nil, headers: [Header("h", "v")], value: Array("\(number)".utf8), sequence: Int64(number + 1))],
        to: partition)
    }
    await log.close()
  }

  /// The refusal, after a check that every file is as it was.
  private func refusal(_ mode: EmbeddedLog.Mode = .writing) throws -> String {
    let before = try contents()
    var text = "nothing was refused"
    do throws(StartupError) {
      _ = try EmbeddedLog(directory: directory.path, mode: mode)
    } catch {
      text = error.description
    }
    #expect(try contents() == before)
    return text
  }

  private func contents() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) where name != "log.lock" {
      files[name] = FileManager.default.contents(atPath: directory.file(name))
    }
    return files
  }

  @Test func `closing leaves the file and the lock file alone, no -wal`() async throws {
    try await filled()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["log.lock", "log.sqlite"])
  }

  @Test func `closing while readers used the file leaves no -wal either`() async throws {
    try await filled(50)
    let log = try EmbeddedLog(directory: directory.path)
    for start: Int64 in 0..<8 { _ = try await log.reader(of: partition, from: start).read(10) }
    try await log.append([NewRecord(key: nil, headers: [], value: nil)], to: partition)
    await log.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["log.lock", "log.sqlite"])
  }

  @Test(arguments: [EmbeddedLog.Mode.writing, .reading])
  func `a log in use is refused, naming the process`(_ mode: EmbeddedLog.Mode) async throws {
    let log = try EmbeddedLog(directory: directory.path, holder: "daybook up")
    #expect(
      throws: StartupError(
        "\(directory.path) is in use by daybook up (process \(ProcessInfo.processInfo.processIdentifier)); stop it first"
      )
    ) {
      _ = try EmbeddedLog(directory: directory.path, mode: mode)
    }
    await log.close()
    let again = try EmbeddedLog(directory: directory.path, mode: mode)
    await again.close()
  }

  @Test(arguments: [EmbeddedLog.Mode.writing, .reading])
  func `a log of a newer build is refused untouched`(_ mode: EmbeddedLog.Mode) async throws {
    try await filled()
    let db = try Connection(path, .writing)
    try db.execute("PRAGMA user_version = 99")
    db.close()
    #expect(
      try refusal(mode)
        == "\(path) was written by a newer Daybook (schema 99, this build knows 1); run the newer build")
  }

  @Test(arguments: [EmbeddedLog.Mode.writing, .reading])
  func `another database in its place is refused untouched`(_ mode: EmbeddedLog.Mode) throws {
    let db = try Connection(path, .writing)
    try db.execute("PRAGMA application_id = 7; CREATE TABLE a (b)")
    db.close()
    #expect(try refusal(mode) == "\(path) is a SQLite database, but not the Daybook file expected there")
  }

  @Test(arguments: [EmbeddedLog.Mode.writing, .reading])
  func `a file that is no database is refused untouched`(_ mode: EmbeddedLog.Mode) throws {
    for text in ["x", String(repeating: "no database ", count: 1000)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      #expect(try refusal(mode) == "the log \(path) is damaged; restore it from a copy")
    }
  }

  @Test(arguments: [EmbeddedLog.Mode.writing, .reading])
  func `a file that was cut short is refused untouched`(_ mode: EmbeddedLog.Mode) async throws {
    try await filled(100)
    let whole = try #require(FileManager.default.contents(atPath: path))
    try whole.prefix(5000).write(to: URL(fileURLWithPath: path))
    #expect(try refusal(mode) == "the log \(path) is damaged; restore it from a copy")
  }

  @Test(.timeLimit(.minutes(1)))
  func `a damaged record ends its reader with one sentence; the log goes on`() async throws {
    try await filled()
    let db = try Connection(path, .writing)
    try db.execute("UPDATE record SET headers = x'7f00' WHERE offset = 1")
    db.close()
    let log = try EmbeddedLog(directory: directory.path)
    await #expect(throws: LogError.failed("record 1 of t/0 is damaged; restore the log from a copy")) {
      try await log.reader(of: partition, from: 0).read(3)
    }
    #expect(try await log.append([NewRecord(key: nil, headers: [], value: nil)], to: partition) == [3])
    await log.close()
  }

  @Test func `opened for reading, it serves what is there and refuses to write`() async throws {
    try await filled()
    let log = try EmbeddedLog(directory: directory.path, mode: .reading)
    #expect(try await log.reader(of: partition, from: 0).read(3).map(\.text) == ["0", "1", "2"])
    #expect(try await log.offset(of: partition, sequence: 2) == 1)
    #expect(try await log.partitions(of: "t") == 1)
    try await log.create(["t"], partitions: 1)
    await #expect(throws: LogError.notAppended("the log is open for reading only")) {
      try await log.create(["new"], partitions: 1)
    }
    await #expect(throws: LogError.notAppended("the log is open for reading only")) {
      try await log.append([NewRecord(key: nil, headers: [], value: nil)], to: partition)
    }
    await log.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["log.lock", "log.sqlite"])
  }

  @Test func `opened for reading where no log is, it says so and makes nothing`() throws {
    let nowhere = directory.file("nowhere")
    #expect(
      throws: StartupError("there is no log in \(nowhere); give the data directory of a Daybook that has run")
    ) {
      _ = try EmbeddedLog(directory: nowhere, mode: .reading)
    }
    #expect(!FileManager.default.fileExists(atPath: nowhere))
  }

  @Test func `hot queries use the primary key and the index`() async throws {
    try await filled()
    let db = try Connection(path, .reading)
    func plan(_ sql: String) throws -> [String] {
      try db.prepare("EXPLAIN QUERY PLAN " + sql).map { $0.string(3) }
    }
    #expect(
      try plan("SELECT offset FROM record WHERE partition = 1 AND offset >= 1 AND offset < 9 ORDER BY offset LIMIT 1")
        == ["SEARCH record USING PRIMARY KEY (partition=? AND offset>? AND offset<?)"])
    #expect(
      try plan("SELECT offset FROM record WHERE partition = 1 AND sequence = 2 AND offset < 9 ORDER BY offset LIMIT 1")
        == ["SEARCH record USING COVERING INDEX record_sequence (partition=? AND sequence=? AND offset<?)"])
    db.close()
  }
}
