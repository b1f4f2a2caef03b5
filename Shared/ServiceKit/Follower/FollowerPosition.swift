package import Messaging
package import SQLite

/// How far a follower has folded one partition; stored in the transaction of what it folded.
package struct FollowerPosition: Sendable, Equatable {
  /// The offset of the next record to read: directly behind a decision (or a claim, or void records behind it), never
  /// inside a command.
  package var offset: Int64 = 0
  /// The epoch of the last valid claim before it; 0 before the first.
  package var epoch: Int64 = 0
  /// The sequence of the last event or decision folded; 0 before the first.
  package var sequence: Int64 = 0
  /// The last claim or decision before the position: looked up in the log at start, so that a log that was made anew
  /// under the same name is noticed. Nil before the first.
  package var last: Mark?

  /// A record by its place and id.
  package struct Mark: Sendable, Equatable {
    package let offset: Int64
    package let id: MessageID
    package init(offset: Int64, id: MessageID) {
      self.offset = offset
      self.id = id
    }
  }

  package init() {}

  /// The positions that a file holds; call it in the snapshot of a read to say as of when it answers.
  package static func all(_ db: Connection) throws -> [ServicePartition: FollowerPosition] {
    var all: [ServicePartition: FollowerPosition] = [:]
    try db.statement(
      """
      SELECT service, partition, offset, epoch, sequence, last_offset, last_id FROM follower_position
      """
    ).forEach { row in
      var position = FollowerPosition()
      position.offset = row.int64(2)
      position.epoch = row.int64(3)
      position.sequence = row.int64(4)
      if let offset = row.int64OrNil(5), let id = MessageID(row.string(6)) {
        position.last = Mark(offset: offset, id: id)
      }
      all[ServicePartition(row.string(0), row.int(1))] = position
    }
    return all
  }
}

/// The engine's own tables: the start of the first step of every follower's file.
package enum FollowerSchema {
  /// `follower_identity` holds the ids of what was folded, 16 bytes each, a row a batch: what tells a duplicate from
  /// another record at the same sequence.
  package static let sql =
    Installation.schema + """
      CREATE TABLE follower_position (
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        last_offset INTEGER,
        last_id TEXT,
        PRIMARY KEY (service, partition)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE follower_identity (
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        first INTEGER NOT NULL,
        ids BLOB NOT NULL,
        PRIMARY KEY (service, partition, first)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE follower_passed_over (
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        type TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        records INTEGER NOT NULL,
        PRIMARY KEY (service, partition, type)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE follower_fold (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        version INTEGER NOT NULL
      ) STRICT;

      """
}
