package import SQLite

/// What every database remembers of the installation that it belongs to: the log that its positions count in, and the
/// one number of partitions. Written at first start; whatever disagrees later refuses to start.
package struct Installation: Sendable, Equatable {
  package let logID: String
  package let partitionCount: Int

  package init(logID: String, partitionCount: Int) {
    self.logID = logID
    self.partitionCount = partitionCount
  }

  /// The step that makes its table; part of the first step of every file.
  package static let schema = """
    CREATE TABLE installation (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      log_id TEXT NOT NULL,
      partition_count INTEGER NOT NULL
    ) STRICT;
    """

  /// Writes this into a new file, or throws a `StartupError` where the file knows another log or another count.
  package func adopt(_ db: Connection) throws {
    if try !check(db) { try db.prepare("INSERT INTO installation VALUES (1, ?, ?)").run(logID, partitionCount) }
  }

  /// Throws a `StartupError` where the file knows another log or another count; false where it knows none.
  package func check(_ db: Connection) throws -> Bool {
    guard let known = try Installation.read(db) else { return false }
    guard known.partitionCount == partitionCount else {
      throw StartupError(
        "\(db.path) was made for \(known.partitionCount) partitions, but \(partitionCount) are asked for; "
          + "start with --partition-count \(known.partitionCount), or with an empty data directory")
    }
    guard known.logID == logID else {
      throw StartupError(
        "\(db.path) belongs to the log \(known.logID), but this log is \(logID); start it with its own log, or "
          + "start with an empty data directory and let it build itself from this one")
    }
    return true
  }

  /// Throws a `StartupError` where the file at `path` knows another log or another count. A file that is missing, or so
  /// damaged that it tells neither, may be built anew.
  package func checkFile(_ path: String) throws(StartupError) {
    guard let db = try? Connection(path, .reading) else { return }
    defer { db.close() }
    do {
      _ = try check(db)
    } catch let error as StartupError {
      throw error
    } catch {}
  }

  /// What a file knows; nil in a new one.
  package static func read(_ db: Connection) throws -> Installation? {
    try db.prepare("SELECT log_id, partition_count FROM installation").first {
      Installation(logID: $0.string(0), partitionCount: $0.int(1))
    }
  }
}
