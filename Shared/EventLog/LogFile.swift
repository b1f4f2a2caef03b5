import Foundation
import Messaging
import SQLite

/// The embedded log's one writing connection. Used by one thread at a time.
final class LogFile {
  let id: String
  private let db: Connection
  private let begin: Statement
  private let commit: Statement
  private let rollback: Statement
  private let insert: Statement
  private let places: [Place]

  /// A file's name, and which file it was at the opening.
  private struct Place {
    let path: String
    let device: dev_t
    let inode: ino_t

    /// Nil where there is no such file.
    init?(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      (self.path, device, inode) = (path, info.st_dev, info.st_ino)
    }

    var holds: Bool {
      var info = stat()
      return stat(path, &info) == 0 && info.st_ino == inode && info.st_dev == device
    }
  }

  static let migrator = Migrator(
    applicationID: 0x6462_6c67,  // "dblg"
    steps: [
      """
      CREATE TABLE log (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        id TEXT NOT NULL
      ) STRICT;
      CREATE TABLE topic (
        name TEXT PRIMARY KEY,
        partitions INTEGER NOT NULL CHECK (partitions > 0)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE partition (
        id INTEGER PRIMARY KEY,
        topic TEXT NOT NULL REFERENCES topic,
        number INTEGER NOT NULL,
        UNIQUE (topic, number)
      ) STRICT;
      CREATE TABLE record (
        partition INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        time INTEGER NOT NULL,
        key BLOB,
        headers BLOB NOT NULL,
        value BLOB,
        sequence INTEGER,
        PRIMARY KEY (partition, offset)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX record_sequence ON record (partition, sequence) WHERE sequence IS NOT NULL;
      """
    ])

  /// Opens the file, or makes it with a new id.
  init(_ path: String) throws {
    db = try Self.migrator.open(path)
    do {
      try db.prepare("INSERT INTO log VALUES (1, ?) ON CONFLICT DO NOTHING").run(MessageID.next().description)
      id = try db.prepare("SELECT id FROM log").first { $0.string(0) } ?? ""
      begin = try db.prepare("BEGIN IMMEDIATE")
      commit = try db.prepare("COMMIT")
      rollback = try db.prepare("ROLLBACK")
      insert = try db.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)")
      places = [path, path + "-wal"].compactMap(Place.init)
    } catch {
      db.close()
      throw error
    }
  }

  /// The topics, in the order in which they were made, with what each partition holds.
  static func topics(_ db: Connection) throws -> [(name: String, partitions: [LogIndex.Partition])] {
    var topics: [(name: String, partitions: [LogIndex.Partition])] = []
    let bounds = try db.prepare(
      """
      SELECT (SELECT min(offset) FROM record WHERE partition = ?1), offset + 1, time
      FROM record WHERE partition = ?1 ORDER BY offset DESC LIMIT 1
      """)
    let rows = try db.prepare("SELECT id, topic, number FROM partition ORDER BY id").map {
      (key: $0.int64(0), name: TopicPartition($0.string(1), $0.int(2)))
    }
    for (key, name) in rows {
      let found = try bounds.first(key) { (first: $0.int64(0), end: $0.int64(1), time: $0.int64(2)) }
      if topics.last?.name != name.topic { topics.append((name.topic, [])) }
      topics[topics.count - 1].partitions.append(
        LogIndex.Partition(
          key: key, name: name, first: found?.first ?? 0, end: found?.end ?? 0,
          lastTime: Timestamp(milliseconds: found?.time ?? 0)))
    }
    return topics
  }

  func topics() throws -> [(name: String, partitions: [LogIndex.Partition])] { try Self.topics(db) }

  /// Adds topics; all or none of them are there afterwards.
  func create(_ topics: [String], partitions count: Int) throws {
    try db.transaction {
      for topic in topics {
        try db.statement("INSERT INTO topic VALUES (?, ?)").run(topic, count)
        for number in 0..<count {
          try db.statement("INSERT INTO partition (topic, number) VALUES (?, ?)").run(topic, number)
        }
      }
    }
  }

  /// Runs the body in one transaction. The error says whether the transaction may be in the file all the same.
  func transaction(_ body: (LogFile) throws(SQLiteError) -> Void) throws(LogError) {
    do {
      try begin.run()
      try body(self)
    } catch {
      undo()
      throw .notAppended(error.description)
    }
    do {
      try commit.run()
    } catch {
      undo()
      // Without room nothing of the commit is whole. After a failed write or sync that cannot be known.
      throw error.isFull || error.isRetriable ? .notAppended(error.description) : .uncertain(error.description)
    }
  }

  /// SQLite has rolled back already after some errors: then there is nothing to undo.
  private func undo() { if !db.isAutocommit { _ = try? rollback.run() } }

  /// Why what is committed will not be found again: a file of the log was removed or replaced under it, and SQLite
  /// writes on to one without a name. Nil where all are in their places.
  var lost: String? {
    guard let gone = places.first(where: { !$0.holds }) else { return nil }
    return "\(gone.path) was removed or replaced while it was in use; stop Daybook, restore the log from a copy, and "
      + "start again"
  }

  /// Adds one record. `headers` are its encoded headers.
  func insert(
    partition: Int64, offset: Int64, time: Timestamp, _ record: NewRecord, headers: UnsafeRawBufferPointer
  ) throws(SQLiteError) {
    try [UInt8].lend(record.key) { key throws(SQLiteError) in
      try [UInt8].lend(record.value) { value throws(SQLiteError) in
        _ = try insert.run(
          partition, offset, time.milliseconds, key, LentBytes(headers), value, record.sequence)
      }
    }
  }

  /// For tests: the file may grow to this many pages, as on a disk that is full then.
  func limit(pages: Int64) throws { try db.execute("PRAGMA max_page_count = \(pages)") }
  var pageCount: Int64 { get throws { try db.pragma("page_count") } }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  func close() { db.close() }
}
