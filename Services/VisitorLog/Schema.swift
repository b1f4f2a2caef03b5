extension VisitorLogDomain {
  /// Removing is decided as events, children before parents; the foreign keys only hold the line: nothing that is
  /// still referred to can go. `created` is the sequence of the creating event: the order of creation. A visitor is
  /// found by any of their rows in `visitor_key`. `visit` has a rowid: without one SQLite walks through all of a
  /// workspace's visits along the primary key rather than search `visit_by_visitor`.
  package static var schema: [String] {
    [
      """
      CREATE TABLE visitor (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        first_name TEXT NOT NULL,
        last_name TEXT NOT NULL,
        registered_at INTEGER NOT NULL,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        CHECK (first_name <> '' OR last_name <> '')
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE visitor_key (
        workspace TEXT NOT NULL,
        key TEXT NOT NULL,
        visitor TEXT NOT NULL,
        PRIMARY KEY (workspace, key, visitor),
        FOREIGN KEY (workspace, visitor) REFERENCES visitor (workspace, id) ON DELETE RESTRICT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX visitor_key_by_visitor ON visitor_key (workspace, visitor);

      CREATE TABLE visit (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        visitor TEXT NOT NULL,
        arrived_at INTEGER NOT NULL,
        departed_at INTEGER CHECK (departed_at >= arrived_at),
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, visitor) REFERENCES visitor (workspace, id) ON DELETE RESTRICT
      ) STRICT;
      CREATE INDEX visit_by_visitor ON visit (workspace, visitor, arrived_at);
      CREATE INDEX visit_open ON visit (workspace, visitor, arrived_at) WHERE departed_at IS NULL;

      CREATE TABLE badge (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        number TEXT NOT NULL,
        key TEXT NOT NULL,
        visitor TEXT,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, key),
        UNIQUE (workspace, visitor),
        FOREIGN KEY (workspace, visitor) REFERENCES visitor (workspace, id) ON DELETE RESTRICT
      ) STRICT, WITHOUT ROWID;
      """
    ]
  }

  package static var tables: [(name: String, key: String)] {
    [
      ("visitor", "workspace, id"), ("visitor_key", "workspace, key, visitor"), ("visit", "workspace, id"),
      ("badge", "workspace, id"),
    ]
  }
}
