import SQLite

/// What the writers of rows share.
struct FoldContext {
  let db: Connection
  let documents: DocumentRows
  let counts: Counts
  let origins: Origins

  init(_ db: Connection) throws {
    self.db = db
    documents = try DocumentRows(db)
    counts = try Counts(db)
    origins = try Origins(db)
  }
}
