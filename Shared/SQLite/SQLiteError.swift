import CSQLite

/// What SQLite refused: the extended result code and its message. Never holds bound values.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067).
  package let code: Int32
  /// What the database says, without values.
  package let message: String
  /// The file, or `:memory:`.
  package let path: String

  package init(code: Int32, message: String, path: String) {
    self.code = code
    self.message = message
    self.path = path
  }

  /// The primary result code: the low byte of the extended one.
  package var primaryCode: Int32 { code & 0xff }
  /// The file is not a database, or its pages do not hold together.
  package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }
  /// The disk has no room.
  package var isFull: Bool { primaryCode == SQLITE_FULL || code == Self.sharedMemorySize }
  /// `SQLITE_IOERR_SHMSIZE`: the file beside a database that its connections share could not be made large enough.
  private static let sharedMemorySize: Int32 = SQLITE_IOERR | (19 << 8)
  /// Somebody else holds the lock; the same call may succeed later.
  package var isRetriable: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
  /// A unique, foreign-key, not-null or check constraint was broken.
  package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

  /// The fault is the disk's, the file's or another process's, not that of the statement or its values: the same work
  /// may succeed once that is mended.
  package var isEnvironment: Bool {
    switch primaryCode {
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_READONLY,
      SQLITE_NOMEM, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_PROTOCOL:
      true
    default: false
    }
  }

  package var description: String {
    switch primaryCode {
    case _ where isFull: "no room left on the disk that holds \(path)"
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      "\(path) is not a sound SQLite database (\(message)); restore it from a copy or rebuild it from the log"
    case SQLITE_CANTOPEN: "cannot open \(path): \(message)"
    case SQLITE_READONLY:
      "\(path) cannot be written, and SQLite writes beside a database even to read it; copy its folder to a place that "
        + "can be written"
    default: "SQLite error \(code) in \(path): \(message)"
    }
  }
}
