import SQLite

/// What the writers of rows share.
struct FoldContext {
  let db: Connection
  let search: SearchIndex
  let counts: Counts
  let origins: Origins

  init(_ db: Connection, partitionCount: Int) throws {
    self.db = db
    search = try SearchIndex(db)
    counts = try Counts(db, partitionCount: partitionCount)
    origins = try Origins(db)
  }
}
