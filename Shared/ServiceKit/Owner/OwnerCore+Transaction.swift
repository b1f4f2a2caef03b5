import SQLite

extension OwnerCore {
  /// Begins a transaction unless one is open.
  func begin() throws {
    if db.isAutocommit { try statements.begin.run() }
  }

  /// Commits, with the state and the mark as they stand in memory.
  func commit() throws {
    if isMarkDirty { try statements.trimOutbox.run(state.markedSequence) }
    try state.write(statements.writeState)
    try statements.commit.run()
    isMarkDirty = false
    flushed = state.markedSequence
  }

  /// Undoes what is open. The state in memory may be ahead of the file afterwards: the core is of no use any more.
  func rollBack() {
    // After a full disk or an I/O error SQLite may have rolled back already: then there is nothing to undo.
    if !db.isAutocommit { try? db.execute("ROLLBACK") }
  }

  /// How many records are marked in memory, but not in the file.
  package var unflushedCount: Int { Int(state.markedSequence - flushed) }

  /// Brings the file's mark and outbox up to those in memory. Not forced to disk: a mark that a power loss takes back
  /// is read forward again.
  package func flushMark() throws {
    guard isMarkDirty, !isSpent else { return }
    try db.execute("PRAGMA synchronous=NORMAL")
    defer { try? db.execute("PRAGMA synchronous=FULL") }
    do {
      try begin()
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }
}
