import CSQLite

/// One connection to one SQLite file. Not for use by two threads at once: an actor or a queue owns it.
///
/// A file has exactly one writing connection, ever (SQLite 3.40 can corrupt a file whose log two connections
/// reset); every other connection is opened with `.reading`.
package final class Connection {
  /// How a file is opened.
  package enum Mode: Sendable {
    /// The one writer: WAL, `synchronous=FULL`, foreign keys on. Creates the file where it is missing.
    case writing
    /// `query_only`, never checkpoints. The file must exist.
    case reading
    /// A private database in memory, for tests and simulations.
    case memory
  }

  /// The file, or `:memory:`.
  package let path: String
  let database: Handle
  private let mode: Mode
  private var cache: [String: Statement] = [:]

  /// Set once, before the first connection of the process.
  private static let isSetUp = daybook_without_memory_status() == SQLITE_OK

  /// What a token of the FTS5 tokenizer `endings`, which every connection knows, holds of a text at most, in bytes.
  package static let longestEnding = Int(DAYBOOK_ENDING)

  /// Opens and sets up the connection. Throws what SQLite says of a missing, foreign or corrupt file.
  package init(_ path: String, _ mode: Mode) throws(SQLiteError) {
    self.path = mode == .memory ? ":memory:" : path
    self.mode = mode
    _ = Self.isSetUp
    var handle: OpaquePointer?
    let access =
      switch mode {
      case .writing, .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .reading: SQLITE_OPEN_READWRITE
      }
    let code = unsafe sqlite3_open_v2(self.path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    database = unsafe Handle(handle, path: self.path)
    guard code == SQLITE_OK else { throw database.error(code) }
    let added = unsafe daybook_add_endings(handle)
    guard added == SQLITE_OK else { throw database.error(added) }
    do {
      unsafe sqlite3_busy_timeout(handle, 5000)
      _ = unsafe daybook_set_defensive(handle)
      switch mode {
      case .writing:
        try execute("PRAGMA journal_mode=WAL")
        try execute("PRAGMA synchronous=FULL")
        try execute("PRAGMA foreign_keys=ON")
        // Room for the pages that a busy file changes again and again; checkpoints then write each of them once.
        try execute("PRAGMA cache_size=-4000")
        try execute("PRAGMA wal_autocheckpoint=4000")
      case .reading:
        try execute("PRAGMA query_only=ON")
        try execute("PRAGMA wal_autocheckpoint=0")
      case .memory:
        try execute("PRAGMA foreign_keys=ON")
      }
      try execute("PRAGMA trusted_schema=OFF")
    } catch {
      close()
      throw error
    }
  }

  /// Finalises the kept statements and closes; the last connection of a file leaves no `-wal` behind. Where a
  /// prepared statement is still held, the file closes with it; all that was written stands in the file itself even so.
  package func close() {
    cache.removeAll()
    if mode == .writing, let pointer = unsafe database.pointer {
      // A reader that is still at work must not hold up a stop.
      unsafe sqlite3_busy_timeout(pointer, 200)
      try? execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    database.close()
  }

  /// Runs one or more statements without parameters; rows are dropped.
  package func execute(_ sql: String) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(database.pointer, sql, nil, nil, nil)
    if code != SQLITE_OK { throw database.error(code) }
  }

  /// A new prepared statement, finalised when its last reference goes. For hot paths: keep it.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement { try Statement(sql, database) }

  /// The kept statement for this text, prepared at first use. Not for a statement that is running already.
  package func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let kept = cache[sql] { return kept }
    let statement = try Statement(sql, database)
    cache[sql] = statement
    return statement
  }

  /// Runs the body in `BEGIN IMMEDIATE … COMMIT`; rolls back where it throws.
  package func transaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After a full disk or an I/O error SQLite may have rolled back already: then there is nothing to undo.
      if !isAutocommit { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs the body inside a snapshot: every read sees the same state of the file.
  package func snapshot<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN")
    defer { try? execute("COMMIT") }
    return try body()
  }

  /// Whether no transaction is open.
  package var isAutocommit: Bool { unsafe sqlite3_get_autocommit(database.pointer) != 0 }

  /// A setting that is one number, such as `user_version`.
  package func pragma(_ name: String) throws -> Int64 {
    try prepare("PRAGMA \(name)").first { $0.int64(0) } ?? 0
  }
}

/// The C handle, kept by the connection and by each of its statements.
@safe final class Handle {
  private(set) var pointer: OpaquePointer?
  let path: String

  init(_ pointer: OpaquePointer?, path: String) {
    unsafe self.pointer = unsafe pointer
    self.path = path
  }

  deinit { close() }

  func close() {
    unsafe sqlite3_close_v2(pointer)
    unsafe pointer = nil
  }

  func error(_ code: Int32) -> SQLiteError {
    let message = unsafe pointer.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "the connection is closed"
    return SQLiteError(code: code, message: message, path: path)
  }
}
