/// The kit's own tables in an owner's database; the domain's stand beside them.
enum OwnerSchema {
  /// Tells an owner's file from Daybook's other files: `DBow`.
  static let applicationID: Int32 = 0x4442_6f77

  /// The first step of every owner's file; the domain's steps follow it.
  static let step =
    Installation.schema + """

      -- Every command that was ever decided, for good: its content and the first answer, byte for byte.
      CREATE TABLE remembered_command (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        content TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        answer TEXT NOT NULL,
        PRIMARY KEY (workspace, id)
      ) STRICT, WITHOUT ROWID;

      -- Events and decisions that were not yet read back from the log as valid.
      CREATE TABLE outbox (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        type TEXT NOT NULL,
        subject TEXT,
        time INTEGER NOT NULL,
        workspace TEXT NOT NULL,
        actor TEXT,
        correlation TEXT,
        causation TEXT,
        data TEXT NOT NULL
      ) STRICT;

      CREATE TABLE owner_state (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        -- the offset of the next command to decide
        command_position INTEGER NOT NULL,
        -- the last event or decision: its sequence and its time
        last_sequence INTEGER NOT NULL,
        last_time INTEGER NOT NULL,
        -- the offset of the next record to read in the own event partition, and the epoch that holds there
        mark INTEGER NOT NULL,
        mark_epoch INTEGER NOT NULL,
        -- the last record before the mark that counts
        marked_sequence INTEGER NOT NULL,
        marked_id TEXT
      ) STRICT;
      INSERT INTO owner_state VALUES (1, 0, 0, 0, 0, 0, 0, NULL);
      """

}
