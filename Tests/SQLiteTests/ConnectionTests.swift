import Foundation
import SQLite
import TestSupport
import Testing

struct ConnectionTests {
  let directory: TemporaryDirectory
  var path: String { directory.file("a.sqlite") }

  init() throws { directory = try TemporaryDirectory() }

  @Test func `the writer syncs every commit, checks foreign keys and keeps a write-ahead log`() throws {
    let db = try Connection(path, .writing)
    #expect(try db.prepare("PRAGMA journal_mode").first { $0.string(0) } == "wal")
    #expect(try db.pragma("synchronous") == 2)
    #expect(try db.pragma("foreign_keys") == 1)
    #expect(try db.pragma("trusted_schema") == 0)
    try db.execute("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p)")
    let error = #expect(throws: SQLiteError.self) { try db.prepare("INSERT INTO c VALUES (1)").run() }
    #expect(error?.isConstraint == true)
    db.close()
  }

  @Test func `a reading connection cannot write, and its file must exist`() throws {
    #expect(throws: SQLiteError.self) { try Connection(path, .reading) }
    #expect(!FileManager.default.fileExists(atPath: path))
    let writer = try Connection(path, .writing)
    try writer.execute("CREATE TABLE t (a)")
    let reader = try Connection(path, .reading)
    #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (1)") }
    #expect(throws: SQLiteError.self) { try reader.execute("DROP TABLE t") }
    #expect(try reader.pragma("wal_autocheckpoint") == 0)
    reader.close()
    writer.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.sqlite"])
  }

  @Test func `a transaction is all or nothing`() throws {
    struct Stop: Error {}
    let db = try Connection(path, .writing)
    try db.execute("CREATE TABLE t (a UNIQUE)")
    #expect(throws: Stop.self) {
      try db.transaction {
        try db.execute("INSERT INTO t VALUES (1)")
        #expect(!db.isAutocommit)
        throw Stop()
      }
    }
    #expect(db.isAutocommit)
    #expect(throws: SQLiteError.self) {
      try db.transaction {
        try db.execute("INSERT INTO t VALUES (1)")
        try db.execute("INSERT INTO t VALUES (1)")
      }
    }
    let result = try db.transaction {
      try db.execute("INSERT INTO t VALUES (2)")
      return "done"
    }
    #expect(result == "done")
    #expect(try db.prepare("SELECT a FROM t").map { $0.int(0) } == [2])
    db.close()
  }

  @Test func `a second transaction is refused as retriable while one is open`() throws {
    let db = try Connection(path, .writing)
    let other = try Connection(path, .writing)
    try other.execute("PRAGMA busy_timeout = 0")
    try db.transaction {
      let error = #expect(throws: SQLiteError.self) { try other.transaction {} }
      #expect(error?.isRetriable == true)
    }
    try other.transaction {}
    other.close()
    db.close()
  }

  @Test func `a snapshot sees one state of the file`() throws {
    let writer = try Connection(path, .writing)
    try writer.execute("CREATE TABLE t (a)")
    let reader = try Connection(path, .reading)
    let count = { try reader.statement("SELECT count(*) FROM t").first { $0.int(0) } }
    try reader.snapshot {
      #expect(try count() == 0)
      try writer.execute("INSERT INTO t VALUES (1)")
      #expect(try count() == 0)
    }
    #expect(try count() == 1)
    reader.close()
    writer.close()
  }

  @Test func `a file that is no database is refused and stays as it is`() throws {
    let text = Data(String(repeating: "not a database ", count: 500).utf8)
    try text.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: SQLiteError.self) { try Connection(path, .writing) }
    #expect(error?.isCorrupt == true)
    #expect(
      error?.description
        == "\(path) is not a sound SQLite database (file is not a database); restore it from a copy or rebuild it from the log"
    )
    #expect(FileManager.default.contents(atPath: path) == text)
  }

  @Test func `a folder that is missing is named`() {
    let error = #expect(throws: SQLiteError.self) { try Connection(directory.file("no/a.sqlite"), .writing) }
    #expect(error?.description == "cannot open \(directory.file("no/a.sqlite")): unable to open database file")
  }

  @Test func `a full disk is told from other errors, and leaves the database usable`() throws {
    let db = try Connection(path, .writing)
    try db.execute("CREATE TABLE t (a)")
    try db.execute("PRAGMA max_page_count = 4")
    let error = #expect(throws: SQLiteError.self) {
      try db.transaction { try db.execute("INSERT INTO t VALUES (zeroblob(100000))") }
    }
    #expect(error?.isFull == true)
    #expect(error?.description == "no room left on the disk that holds \(path)")
    #expect(db.isAutocommit)
    try db.transaction { try db.execute("INSERT INTO t VALUES (1)") }
    db.close()
  }

  @Test func `a kept statement is prepared once`() throws {
    let db = try Connection("", .memory)
    #expect(try db.statement("SELECT 1") === db.statement("SELECT 1"))
    #expect(try db.statement("SELECT 1") !== db.prepare("SELECT 1"))
    db.close()
  }
}
