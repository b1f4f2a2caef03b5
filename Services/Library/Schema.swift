extension LibraryDomain {
  /// Removing is decided as events, links before what they link; the foreign keys only hold the line: nothing that is
  /// still referred to can go. `created` is the sequence of the creating event: the order of creation.
  package static var schema: [String] {
    [
      """
      CREATE TABLE genre (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, key)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE author (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        name TEXT NOT NULL,
        key TEXT NOT NULL,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        UNIQUE (workspace, key)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE book (
        workspace TEXT NOT NULL,
        id TEXT NOT NULL,
        title TEXT NOT NULL,
        key TEXT NOT NULL,
        genre TEXT,
        is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),
        read_on TEXT CHECK (read_on IS NULL OR is_read),
        rating INTEGER CHECK (rating BETWEEN 1 AND 5),
        review TEXT,
        added_at INTEGER NOT NULL,
        created INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (workspace, id),
        FOREIGN KEY (workspace, genre) REFERENCES genre (workspace, id) ON DELETE RESTRICT
      ) STRICT;
      CREATE INDEX book_by_key ON book (workspace, key);
      CREATE INDEX book_by_genre ON book (workspace, genre);

      CREATE TABLE book_author (
        workspace TEXT NOT NULL,
        book TEXT NOT NULL,
        author TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (workspace, book, author),
        FOREIGN KEY (workspace, book) REFERENCES book (workspace, id) ON DELETE RESTRICT,
        FOREIGN KEY (workspace, author) REFERENCES author (workspace, id) ON DELETE RESTRICT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX book_author_by_author ON book_author (workspace, author);
      """
    ]
  }

  package static var tables: [(name: String, key: String)] {
    [
      ("genre", "workspace, id"), ("author", "workspace, id"), ("book", "workspace, id"),
      ("book_author", "workspace, book, author"),
    ]
  }
}
