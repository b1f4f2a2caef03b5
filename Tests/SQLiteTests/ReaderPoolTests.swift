import Dispatch
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReaderPoolTests {
  let directory: TemporaryDirectory
  var path: String { directory.file("a.sqlite") }
  let writer: Connection

  init() throws {
    directory = try TemporaryDirectory()
    writer = try Connection(directory.file("a.sqlite"), .writing)
    try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
  }

  private static func count(_ db: Connection) throws -> Int {
    try db.statement("SELECT count(*) FROM t").first { $0.int(0) } ?? -1
  }

  @Test func `a read sees what was committed before it, and one state of it`() async throws {
    let pool = ReaderPool(path)
    #expect(try await pool.read { try Self.count($0) } == 1)
    try writer.execute("INSERT INTO t VALUES (2)")
    #expect(try await pool.read { try Self.count($0) } == 2)
    try pool.withConnection { db in
      #expect(try Self.count(db) == 2)
      try writer.execute("INSERT INTO t VALUES (3)")
      #expect(try Self.count(db) == 2)
    }
    pool.close()
    writer.close()
  }

  @Test func `an error of the body comes out, and the connection goes on`() async throws {
    struct Stop: Error {}
    let pool = ReaderPool(path, size: 1)
    await #expect(throws: Stop.self) { try await pool.read { _ in throw Stop() } }
    await #expect(throws: SQLiteError.self) { try await pool.read { try $0.execute("INSERT INTO t VALUES (9)") } }
    #expect(try await pool.read { try Self.count($0) } == 1)
    pool.close()
  }

  @Test func `no more than its size run at once, and all of them run`() async throws {
    let pool = ReaderPool(path, size: 2)
    let running = Running()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 {
        group.addTask {
          try await pool.read { db in
            running.enter()
            defer { running.leave() }
            return try Self.count(db)
          }
        }
      }
      for try await count in group { #expect(count == 1) }
    }
    #expect((1...2).contains(running.most))
    pool.close()
  }

  @Test func `close waits for the read under way and refuses later ones`() async throws {
    let pool = ReaderPool(path, size: 1)
    let entered = Gate()
    let release = DispatchSemaphore(value: 0)
    let running = Running()
    let read = Task {
      try await pool.read { db in
        running.enter()
        entered.open()
        release.wait()
        defer { running.leave() }
        return try Self.count(db)
      }
    }
    await entered.wait()
    let closing = Task.detached {
      release.signal()
      pool.close()
      return running.now
    }
    #expect(await closing.value == 0)
    #expect(try await read.value == 1)
    await #expect(throws: ReaderPool.Closed.self) { try await pool.read { try Self.count($0) } }
    pool.close()
  }

  @Test func `a file that is missing is an error of the read, not of the pool`() async throws {
    let pool = ReaderPool(directory.file("missing.sqlite"))
    await #expect(throws: SQLiteError.self) { try await pool.read { try Self.count($0) } }
    pool.close()
  }
}

/// How many reads run, and the most that ran at once.
private final class Running: Sendable {
  private let counts = Mutex((now: 0, most: 0))
  var now: Int { counts.withLock { $0.now } }
  var most: Int { counts.withLock { $0.most } }
  func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
  func leave() { counts.withLock { $0.now -= 1 } }
}
