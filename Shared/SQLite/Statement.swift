import CSQLite

/// A prepared statement. Belongs to its connection and, like it, to one thread at a time.
///
/// Each call binds all parameters, runs, and leaves the statement reset, whatever it throws. A call with another number
/// of values than the statement has parameters is refused (`SQLITE_RANGE`), and so is any call once the connection is
/// closed (`SQLITE_MISUSE`).
@safe package final class Statement {
  let handle: OpaquePointer
  /// Kept so that the file stays open under its statements.
  private let database: Handle
  private let parameterCount: Int32

  init(_ sql: String, _ database: Handle) throws(SQLiteError) {
    var handle: OpaquePointer?
    var sql = sql
    let code = sql.withUTF8 { utf8 in
      unsafe utf8.withMemoryRebound(to: CChar.self) {
        unsafe sqlite3_prepare_v3(
          database.pointer, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
      }
    }
    guard code == SQLITE_OK, let handle = unsafe handle else { throw database.error(code) }
    unsafe self.handle = unsafe handle
    self.database = database
    parameterCount = unsafe sqlite3_bind_parameter_count(handle)
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs to the end; rows are dropped. Returns the number of rows changed.
  @discardableResult
  package func run<each V: Bindable>(_ values: repeat each V) throws(SQLiteError) -> Int {
    try bind(repeat each values)
    defer { reset() }
    while try step() {}
    return unsafe Int(sqlite3_changes64(database.pointer))
  }

  /// Runs and hands over each row, in order.
  package func forEach<each V: Bindable>(
    _ values: repeat each V, row body: (borrowing Row) throws -> Void
  ) throws {
    try bind(repeat each values)
    defer { reset() }
    while try step() { try unsafe body(Row(handle)) }
  }

  /// As `forEach`, but stops before the next row once the condition no longer holds.
  package func forEach<each V: Bindable>(
    while condition: () -> Bool, _ values: repeat each V, row body: (borrowing Row) throws -> Void
  ) throws {
    try bind(repeat each values)
    defer { reset() }
    while condition(), try step() { try unsafe body(Row(handle)) }
  }

  /// Runs and gives each row as the body makes it.
  package func map<each V: Bindable, T>(
    _ values: repeat each V, row body: (borrowing Row) throws -> T
  ) throws -> [T] {
    var result: [T] = []
    try bind(repeat each values)
    defer { reset() }
    while try step() { unsafe result.append(try body(Row(handle))) }
    return result
  }

  /// Runs and gives the first row, or nil where there is none.
  package func first<each V: Bindable, T>(
    _ values: repeat each V, row body: (borrowing Row) throws -> T
  ) throws -> T? {
    try bind(repeat each values)
    defer { reset() }
    return try unsafe step() ? try body(Row(handle)) : nil
  }

  /// As `run`, `map` and so on with values known only when running, such as a query's filters.
  package func map<T>(values: [Value], row body: (borrowing Row) throws -> T) throws -> [T] {
    var result: [T] = []
    try bind(values)
    defer { reset() }
    while try step() { unsafe result.append(try body(Row(handle))) }
    return result
  }

  /// Runs with values known only when running. Returns the number of rows changed.
  @discardableResult
  package func run(values: [Value]) throws(SQLiteError) -> Int {
    try bind(values)
    defer { reset() }
    while try step() {}
    return unsafe Int(sqlite3_changes64(database.pointer))
  }

  private func bind<each V: Bindable>(_ values: repeat each V) throws(SQLiteError) {
    var index: Int32 = 0
    var failed: Int32 = SQLITE_OK
    for value in repeat each values {
      index += 1
      let code = unsafe value.bind(to: handle, at: index)
      if code != SQLITE_OK { failed = code }
    }
    try check(failed, count: index)
  }

  private func bind(_ values: [Value]) throws(SQLiteError) {
    var failed: Int32 = SQLITE_OK
    for (index, value) in values.enumerated() {
      let code = unsafe value.bind(to: handle, at: Int32(index + 1))
      if code != SQLITE_OK { failed = code }
    }
    try check(failed, count: Int32(values.count))
  }

  private func check(_ code: Int32, count: Int32) throws(SQLiteError) {
    guard unsafe database.pointer != nil else { throw database.error(SQLITE_MISUSE) }
    if code != SQLITE_OK { throw database.error(code) }
    guard count == parameterCount else {
      throw SQLiteError(
        code: SQLITE_RANGE, message: "\(count) values for \(parameterCount) parameters", path: database.path)
    }
  }

  /// True on a row, false at the end.
  func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.error(code)
    }
  }

  private func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }
}

/// The current row of a running statement; columns count from 0. Valid inside the closure that receives it.
@safe package struct Row: ~Copyable {
  let handle: OpaquePointer
  init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }

  /// The number of columns.
  package var count: Int { unsafe Int(sqlite3_column_count(handle)) }
  /// The name of a column.
  package func name(_ column: Int) -> String {
    unsafe sqlite3_column_name(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
  }
  /// Whether the column is NULL.
  package func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }
  /// An integer; 0 where NULL.
  package func int64(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(column)) }
  /// An integer; 0 where NULL.
  package func int(_ column: Int) -> Int { Int(int64(column)) }
  /// A truth value; false where NULL.
  package func bool(_ column: Int) -> Bool { int64(column) != 0 }
  /// A floating-point number; 0 where NULL.
  package func double(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(column)) }
  /// An integer, or nil where NULL.
  package func int64OrNil(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }

  /// A text, read by its byte length; empty where NULL.
  package func string(_ column: Int) -> String {
    guard let text = unsafe sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
  /// A text, or nil where NULL.
  package func stringOrNil(_ column: Int) -> String? { isNull(column) ? nil : string(column) }

  /// The bytes of a blob or a text; empty where NULL.
  package func bytes(_ column: Int) -> [UInt8] {
    guard let blob = unsafe sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
  /// Lends the bytes of a blob or a text; empty where NULL. They are gone with the row.
  package func withBytes<T>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    let blob = unsafe sqlite3_column_blob(handle, Int32(column))
    let count = unsafe blob == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(column)))
    return try unsafe body(UnsafeRawBufferPointer(start: blob, count: count))
  }
  /// The bytes, or nil where NULL.
  package func bytesOrNil(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

  /// The value as it is stored.
  package func value(_ column: Int) -> Value {
    switch unsafe sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer(int64(column))
    case SQLITE_FLOAT: .real(double(column))
    case SQLITE_TEXT: .text(string(column))
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
  }
}
