import SQLite
import ServiceKit

/// The audit's file. History is only ever added to: the triggers refuse every change of what is there.
enum AuditSchema {
  static let migrator = Migrator(applicationID: 0x4442_6175, steps: [first, second])

  /// `record_time` holds all that a query filters by, so that counting and paging do not touch the rows.
  private static let first =
    FollowerSchema.sql + """
      -- Every valid event and decision, in the order in which this audit met them.
      CREATE TABLE record (
        arrival INTEGER PRIMARY KEY,
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        time INTEGER NOT NULL,
        workspace TEXT NOT NULL,
        type TEXT NOT NULL,
        id TEXT NOT NULL,
        source TEXT NOT NULL,
        subject TEXT,
        actor TEXT,
        correlation TEXT,
        command TEXT,
        epoch INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        log_time INTEGER NOT NULL,
        data BLOB NOT NULL,
        -- over the hash before it in its partition, the envelope and the digest of the data: see AuditChain
        hash BLOB NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX record_place ON record (service, partition, sequence);
      CREATE INDEX record_time ON record (time, service, partition, sequence, workspace, actor, type);
      CREATE INDEX record_command ON record (command) WHERE command IS NOT NULL;
      CREATE TRIGGER record_kept BEFORE DELETE ON record
        BEGIN SELECT RAISE(ABORT, 'the history is only added to'); END;
      CREATE TRIGGER record_unchanged BEFORE UPDATE ON record
        BEGIN SELECT RAISE(ABORT, 'the history is only added to'); END;

      -- What does not count: records of another epoch, duplicates, unfinished commands; and the claims.
      CREATE TABLE aside (
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        kind TEXT NOT NULL,
        type TEXT,
        id TEXT,
        sequence INTEGER,
        epoch INTEGER,
        -- at most 64 KiB of it
        data BLOB NOT NULL,
        PRIMARY KEY (service, partition, offset, kind)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER aside_kept BEFORE DELETE ON aside
        BEGIN SELECT RAISE(ABORT, 'the history is only added to'); END;
      CREATE TRIGGER aside_unchanged BEFORE UPDATE ON aside
        BEGIN SELECT RAISE(ABORT, 'the history is only added to'); END;

      -- Which records name an entity: as their subject, or beside it (a tag of an item, a visitor of a visit).
      CREATE TABLE mention (
        workspace TEXT NOT NULL,
        entity TEXT NOT NULL,
        service TEXT NOT NULL,
        partition INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, entity, service, partition, sequence)
      ) STRICT, WITHOUT ROWID;

      -- Every entity there ever was, under its last name.
      CREATE TABLE entity (
        workspace TEXT NOT NULL,
        service TEXT NOT NULL,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT,
        first_name TEXT,
        last_name TEXT,
        is_gone INTEGER NOT NULL,
        PRIMARY KEY (workspace, service, kind, id)
      ) STRICT, WITHOUT ROWID;

      -- Every name that an entity ever had, by unique key (form 0) and search key (form 1).
      CREATE TABLE entity_name (
        workspace TEXT NOT NULL,
        form INTEGER NOT NULL,
        key TEXT NOT NULL,
        service TEXT NOT NULL,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (workspace, form, key, service, kind, id)
      ) STRICT, WITHOUT ROWID;
      """

  /// A name whose two keys are one stands there once: most names.
  private static let second = """
    DROP TABLE entity_name;
    -- Every name that an entity ever had: by its unique key (exact), and by its search key where that is another.
    CREATE TABLE entity_name (
      workspace TEXT NOT NULL,
      key TEXT NOT NULL,
      service TEXT NOT NULL,
      kind TEXT NOT NULL,
      id TEXT NOT NULL,
      is_exact INTEGER NOT NULL,
      PRIMARY KEY (workspace, key, service, kind, id)
    ) STRICT, WITHOUT ROWID;
    """
}
