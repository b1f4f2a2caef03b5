import SQLite
import Testing

struct StatementTests {
  let db: Connection

  init() throws {
    db = try Connection("", .memory)
    try db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value ANY, name TEXT UNIQUE) STRICT")
  }

  @Test(
    arguments: [
      .null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text(""), .text("a\0b"),
      .text("שלום 👩‍👩‍👧‍👦"), .blob([]), .blob([0, 255, 0]),
    ] as [Value])
  func `every value comes back as it was, an empty one is not NULL`(_ value: Value) throws {
    let insert = try db.prepare("INSERT INTO t (value) VALUES (?)")
    try insert.run(value)
    try insert.run(values: [value])
    #expect(try db.prepare("SELECT value FROM t").map { $0.value(0) } == [value, value])
  }

  @Test func `typed reads give a stand-in for NULL, and nil where it is asked for`() throws {
    let row = try db.prepare("SELECT NULL, 7, 'text', x'0102', 1.5, 1, 'a' || char(0) || 'b' AS named").first { row in
      #expect(row.count == 7)
      #expect(row.name(6) == "named")
      #expect(row.isNull(0) && !row.isNull(1))
      #expect(row.int64(0) == 0 && row.string(0) == "" && row.bytes(0) == [] && !row.bool(0))
      #expect(row.int64OrNil(0) == nil && row.stringOrNil(0) == nil && row.bytesOrNil(0) == nil)
      #expect(row.int(1) == 7 && row.int64OrNil(1) == 7)
      #expect(row.stringOrNil(2) == "text" && row.bytes(2) == Array("text".utf8))
      #expect(row.bytesOrNil(3) == [1, 2])
      #expect(row.withBytes(3) { Array($0) } == [1, 2] && row.withBytes(0) { $0.count } == 0)
      #expect(row.double(4) == 1.5 && row.bool(5))
      return row.string(6)
    }
    #expect(row == "a\0b")
  }

  @Test func `optionals, texts as bytes and lent bytes are bound`() throws {
    let insert = try db.prepare("INSERT INTO t (value) VALUES (?)")
    try insert.run(String?.none)
    try insert.run(Int64?.some(5))
    try insert.run(UTF8Text(Array("ü".utf8)))
    try insert.run(UTF8Text([]))
    for bytes in [nil, [], [1, 2]] as [[UInt8]?] {
      _ = try [UInt8].lend(bytes) { lent throws(SQLiteError) in try insert.run(lent) }
    }
    let values = try db.prepare("SELECT value FROM t ORDER BY id").map { $0.value(0) }
    #expect(values == [.null, .integer(5), .text("ü"), .text(""), .null, .blob([]), .blob([1, 2])])
  }

  @Test func `a call tells how many rows it changed`() throws {
    for name in ["a", "b", "c"] { #expect(try db.statement("INSERT INTO t (name) VALUES (?)").run(name) == 1) }
    #expect(try db.prepare("UPDATE t SET value = 1 WHERE name > ?").run("a") == 2)
    #expect(try db.prepare("DELETE FROM t WHERE name = 'z'").run() == 0)
  }

  @Test func `a statement can be used again after it failed, and after its rows were left`() throws {
    let insert = try db.prepare("INSERT INTO t (name) VALUES (?)")
    try insert.run("a")
    let error = #expect(throws: SQLiteError.self) { try insert.run("a") }
    #expect(error?.isConstraint == true)
    #expect(error?.description.contains("t.name") == true)
    try insert.run("b")
    let select = try db.prepare("SELECT name FROM t ORDER BY name")
    struct Stop: Error {}
    #expect(throws: Stop.self) { try select.forEach { _ in throw Stop() } }
    #expect(try select.first { $0.string(0) } == "a")
    var seen: [String] = []
    try select.forEach(while: { seen.count < 1 }) { seen.append($0.string(0)) }
    #expect(seen == ["a"])
    #expect(try select.map { $0.string(0) } == ["a", "b"])
    try insert.run("c")
  }

  @Test func `an error never holds the values`() throws {
    let insert = try db.prepare("INSERT INTO t (id, name) VALUES (?, ?)")
    try insert.run(1, "secret")
    let error = #expect(throws: SQLiteError.self) { try insert.run(1, "secret") }
    #expect(error?.description.contains("secret") == false)
    #expect(error?.code == 1555)
    #expect(error?.primaryCode == 19)
  }

  @Test func `another number of values than parameters is refused`() throws {
    let insert = try db.prepare("INSERT INTO t (id, name) VALUES (?, ?)")
    #expect(throws: SQLiteError.self) { try insert.run(1) }
    #expect(throws: SQLiteError.self) { try insert.run(1, "a", "b") }
    #expect(throws: SQLiteError.self) { try insert.run(values: [.integer(1)]) }
    #expect(throws: SQLiteError.self) { try insert.first { _ in } }
    #expect(try db.prepare("SELECT count(*) FROM t").first { $0.int(0) } == 0)
    try insert.run(1, "a")
  }

  @Test func `a parameter that is named twice takes one value`() throws {
    #expect(try db.prepare("SELECT ?1 + ?1").first(4) { $0.int(0) } == 8)
  }

  @Test(arguments: ["SELEC 1", "SELECT * FROM nowhere", "", "-- nothing"])
  func `what is no statement is refused when it is prepared`(_ sql: String) {
    #expect(throws: SQLiteError.self) { try db.prepare(sql) }
  }

  @Test func `a statement that outlives its connection is refused`() throws {
    let select = try db.prepare("SELECT 1")
    db.close()
    #expect(throws: SQLiteError.self) { try select.run() }
    #expect(throws: SQLiteError.self) { try db.execute("SELECT 1") }
    #expect(throws: SQLiteError.self) { try db.prepare("SELECT 1") }
    #expect(throws: SQLiteError.self) { try db.transaction {} }
  }

  @Test func `a cursor walks over the rows one at a time`() throws {
    for name in ["a", "b"] { try db.statement("INSERT INTO t (name) VALUES (?)").run(name) }
    let cursor = try db.prepare("SELECT id, name FROM t ORDER BY id").cursor()
    #expect(cursor.columns == ["id", "name"])
    #expect(try cursor.next() == [.integer(1), .text("a")])
    #expect(try cursor.next() == [.integer(2), .text("b")])
    #expect(try cursor.next() == nil)
    #expect(try cursor.next() == nil)
  }
}
