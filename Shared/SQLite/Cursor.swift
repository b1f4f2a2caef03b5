import CSQLite

/// The rows of a statement, one at a time: for walking over two results side by side. The statement runs nothing else
/// until the cursor is gone.
package final class Cursor {
  private let statement: Statement
  private var isDone = false

  init(_ statement: Statement) { self.statement = statement }

  deinit { unsafe sqlite3_reset(statement.handle) }

  /// The names of the columns.
  package var columns: [String] {
    unsafe (0..<sqlite3_column_count(statement.handle)).map { index in
      unsafe sqlite3_column_name(statement.handle, index).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// The values of the next row; nil behind the last.
  package func next() throws(SQLiteError) -> [Value]? {
    guard !isDone else { return nil }
    guard try statement.step() else {
      isDone = true
      return nil
    }
    let row = unsafe Row(statement.handle)
    return (0..<row.count).map { row.value($0) }
  }
}

extension Statement {
  /// Walks over the rows by hand. For a statement without parameters.
  package func cursor() -> Cursor { Cursor(self) }
}
