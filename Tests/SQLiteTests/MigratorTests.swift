import Foundation
import SQLite
import TestSupport
import Testing

struct MigratorTests {
  let directory: TemporaryDirectory
  var path: String { directory.file("a.sqlite") }
  let first = Migrator(applicationID: 77, steps: ["CREATE TABLE a (x)"])
  let second = Migrator(
    applicationID: 77, steps: ["CREATE TABLE a (x)", "CREATE TABLE b (y); INSERT INTO b VALUES (1)"])

  init() throws { directory = try TemporaryDirectory() }

  private func tables(_ db: Connection) throws -> [String] {
    try db.prepare("SELECT name FROM sqlite_schema ORDER BY name").map { $0.string(0) }
  }

  @Test func `a new file gets every step, an older one those that it lacks, a current one none`() throws {
    var db = try first.open(path)
    #expect(try tables(db) == ["a"])
    #expect(try db.pragma("user_version") == 1)
    #expect(try db.pragma("application_id") == 77)
    db.close()
    db = try second.open(path)
    #expect(try tables(db) == ["a", "b"])
    #expect(try db.pragma("user_version") == 2)
    db.close()
    db = try second.open(path)
    #expect(try db.prepare("SELECT count(*) FROM b").first { $0.int(0) } == 1)
    #expect(try second.check(db) == 2)
    db.close()
  }

  @Test func `a step that fails leaves nothing of itself, and the steps before it`() throws {
    let broken = Migrator(applicationID: 77, steps: ["CREATE TABLE a (x)", "CREATE TABLE b (y); CREATE TABLE a (z)"])
    #expect(throws: SQLiteError.self) { try broken.open(path) }
    let db = try second.open(path)
    #expect(try tables(db) == ["a", "b"])
    db.close()
  }

  @Test func `a newer file is refused with both numbers, by its header and by its rows, and stays as it is`() throws {
    try second.open(path).close()
    let before = FileManager.default.contents(atPath: path)
    let error = #expect(throws: Migrator.Refusal.self) { try first.open(path) }
    #expect(
      error?.description == "\(path) was written by a newer Daybook (schema 2, this build knows 1); run the newer build"
    )
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.sqlite"])
    let db = try Connection(path, .reading)
    #expect(throws: Migrator.Refusal.self) { try first.check(db) }
    db.close()
  }

  @Test func `a newer version that is still in the write-ahead log is refused too`() throws {
    let newer = try first.open(path)
    try newer.execute("PRAGMA user_version = 9")
    #expect(throws: Migrator.Refusal.self) { try first.open(path) }
    newer.close()
  }

  @Test(arguments: ["CREATE TABLE t (a)", "PRAGMA user_version = 3", "PRAGMA application_id = 78"])
  func `a database of something else is refused, and stays as it is`(_ sql: String) throws {
    let db = try Connection(path, .writing)
    try db.execute("PRAGMA journal_mode = DELETE")
    try db.execute(sql)
    db.close()
    let before = FileManager.default.contents(atPath: path)
    let error = #expect(throws: Migrator.Refusal.self) { try first.open(path) }
    #expect(error?.description == "\(path) is a SQLite database, but not the Daybook file expected there")
    #expect(FileManager.default.contents(atPath: path) == before)
  }

  @Test(arguments: ["x", String(repeating: "y", count: 4096)])
  func `a file that is no database is refused, and stays as it is`(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: Migrator.Refusal.self) { try first.open(path) }
    #expect(
      error?.description == "\(path) is not a sound SQLite database; restore it from a copy or rebuild it from the log")
    #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
  }

  @Test func `an empty file is a new one`() throws {
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let db = try first.open(path)
    #expect(try tables(db) == ["a"])
    db.close()
  }
}
