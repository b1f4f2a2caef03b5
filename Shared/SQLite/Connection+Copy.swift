import CSQLite

extension Connection {
  /// A copy in memory of the database as it stands now (SQLite's online backup). Outside a transaction.
  package func copyInMemory() throws(SQLiteError) -> Connection {
    let copy = try Connection("", .memory)
    do {
      try copy.overwrite(with: self)
    } catch {
      copy.close()
      throw error
    }
    return copy
  }

  private func overwrite(with source: Connection) throws(SQLiteError) {
    guard let backup = unsafe sqlite3_backup_init(database.pointer, "main", source.database.pointer, "main") else {
      throw unsafe database.error(sqlite3_errcode(database.pointer))
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE else { throw database.error(code) }
  }
}
