extension TasksDomain {
  /// Deleting is decided as events, children before parents; the foreign keys only hold the line: nothing that is
  /// still referred to can go. `created` is the sequence of the creating event: the order of creation.
  package static var schema: [String] {
    [
      """
      CREATE TABLE project (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        place TEXT,
        created_at INTEGER NOT NULL,
        starts_on TEXT,
        ends_on TEXT CHECK (ends_on >= starts_on),
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, key)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE item (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        title TEXT NOT NULL,
        key TEXT NOT NULL,
        note TEXT,
        created_at INTEGER NOT NULL,
        completed_at INTEGER,
        due_on TEXT,
        project TEXT,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, project) REFERENCES project (workspace, id) ON DELETE RESTRICT
      ) STRICT;
      CREATE INDEX item_by_key ON item (workspace, key);
      CREATE INDEX item_by_project ON item (workspace, project);

      CREATE TABLE tag (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, key)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE item_tag (
        workspace TEXT NOT NULL,
        item TEXT NOT NULL,
        tag TEXT NOT NULL,
        PRIMARY KEY (workspace, item, tag),
        FOREIGN KEY (workspace, item) REFERENCES item (workspace, id) ON DELETE RESTRICT,
        FOREIGN KEY (workspace, tag) REFERENCES tag (workspace, id) ON DELETE RESTRICT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX item_tag_by_tag ON item_tag (workspace, tag);
      """
    ]
  }

  package static var tables: [(name: String, key: String)] {
    [
      ("project", "workspace, id"), ("item", "workspace, id"), ("tag", "workspace, id"),
      ("item_tag", "workspace, item, tag"),
    ]
  }
}
