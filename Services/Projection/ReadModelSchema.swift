package import SQLite
package import ServiceKit

/// The read model's tables. A row stands under its `origin` (see `Origin`), which begins with the workspace; what refers
/// to another entity holds the origin of that one (no foreign keys: the log vouches for it, and the fold refuses what
/// refers to nothing). `sequence` is the entity's last event. `*_sort` are sort keys,
/// `*_search` search keys.
///
/// It can be made anew from the log at any time. So a change of these tables is made here and `revision` is raised: the
/// old tables go at the first start, and the follower folds the log into a new file.
package enum ReadModelSchema {
  /// Raise it with every change of the tables, and of what the fold writes into them.
  static let revision = 3

  package static let migrator = Migrator(
    applicationID: 0x4442_5250, steps: [FollowerSchema.sql] + (1..<revision).map { _ in drop + sql })

  private static let drop =
    (["DROP TABLE IF EXISTS search;", "DROP VIEW IF EXISTS searched;", "DROP TABLE IF EXISTS document;"]
    + tables.map { "DROP TABLE IF EXISTS \($0.name);" }).joined(separator: "\n")

  /// What is compared with a fresh fold: every table, every column.
  package static let tables: [ComparedTable] = [
    ComparedTable("workspace", key: ["name"]),
    ComparedTable("project", key: ["origin"]),
    ComparedTable("item", key: ["origin"]),
    ComparedTable("tag", key: ["origin"]),
    ComparedTable("item_tag", key: ["item", "tag"]),
    ComparedTable("book", key: ["origin"]),
    ComparedTable("author", key: ["origin"]),
    ComparedTable("book_author", key: ["book", "author"]),
    ComparedTable("genre", key: ["origin"]),
    ComparedTable("visitor", key: ["origin"]),
    ComparedTable("visitor_key", key: ["workspace", "key", "visitor"]),
    ComparedTable("visit", key: ["origin"]),
    ComparedTable("badge", key: ["origin"]),
  ]

  static let sql = """
    -- One row for each workspace that something happened in, with how many entities of each kind it holds.
    CREATE TABLE workspace (
      name TEXT NOT NULL PRIMARY KEY,
      -- What the origins of its entities begin with; another workspace's may begin with the same.
      base INTEGER NOT NULL,
      projects INTEGER NOT NULL DEFAULT 0,
      items INTEGER NOT NULL DEFAULT 0,
      tags INTEGER NOT NULL DEFAULT 0,
      books INTEGER NOT NULL DEFAULT 0,
      authors INTEGER NOT NULL DEFAULT 0,
      genres INTEGER NOT NULL DEFAULT 0,
      visitors INTEGER NOT NULL DEFAULT 0,
      visits INTEGER NOT NULL DEFAULT 0,
      badges INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX workspace_by_base ON workspace (base);

    CREATE TABLE project (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      key TEXT NOT NULL,
      name_sort TEXT NOT NULL,
      place TEXT,
      place_key TEXT,
      place_sort TEXT,
      created_at INTEGER NOT NULL,
      starts_on TEXT,
      ends_on TEXT,
      item_count INTEGER NOT NULL DEFAULT 0,
      done_count INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id),
      UNIQUE (workspace, key)
    ) STRICT;
    CREATE INDEX project_by_ending ON project (workspace, substr(id, -4));
    CREATE INDEX project_by_created ON project (workspace, created_at);
    CREATE INDEX project_by_name ON project (workspace, name_sort);
    CREATE INDEX project_by_place ON project (workspace, place_key);
    CREATE INDEX project_by_start ON project (workspace, starts_on);

    CREATE TABLE item (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      title TEXT NOT NULL,
      key TEXT NOT NULL,
      title_sort TEXT NOT NULL,
      note TEXT,
      created_at INTEGER NOT NULL,
      is_completed INTEGER NOT NULL,
      completed_at INTEGER,
      due_on TEXT,
      project INTEGER,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id)
    ) STRICT;
    CREATE INDEX item_by_ending ON item (workspace, substr(id, -4));
    CREATE INDEX item_by_created ON item (workspace, created_at);
    CREATE INDEX item_by_title ON item (workspace, title_sort);
    CREATE INDEX item_by_done ON item (workspace, is_completed, created_at);
    CREATE INDEX item_by_due ON item (workspace, due_on);
    CREATE INDEX item_by_project ON item (workspace, project, created_at);

    CREATE TABLE tag (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      key TEXT NOT NULL,
      name_sort TEXT NOT NULL,
      item_count INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id),
      UNIQUE (workspace, key)
    ) STRICT;
    CREATE INDEX tag_by_ending ON tag (workspace, substr(id, -4));
    CREATE INDEX tag_by_name ON tag (workspace, name_sort);
    CREATE TABLE item_tag (
      item INTEGER NOT NULL,
      tag INTEGER NOT NULL,
      PRIMARY KEY (item, tag)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX item_tag_by_tag ON item_tag (tag, item);

    CREATE TABLE genre (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      key TEXT NOT NULL,
      name_sort TEXT NOT NULL,
      book_count INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id),
      UNIQUE (workspace, key)
    ) STRICT;
    CREATE INDEX genre_by_ending ON genre (workspace, substr(id, -4));
    CREATE INDEX genre_by_name ON genre (workspace, name_sort);

    CREATE TABLE author (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      key TEXT NOT NULL,
      name_sort TEXT NOT NULL,
      book_count INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id),
      UNIQUE (workspace, key)
    ) STRICT;
    CREATE INDEX author_by_ending ON author (workspace, substr(id, -4));
    CREATE INDEX author_by_name ON author (workspace, name_sort);

    CREATE TABLE book (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      title TEXT NOT NULL,
      key TEXT NOT NULL,
      title_sort TEXT NOT NULL,
      genre INTEGER,
      is_read INTEGER NOT NULL,
      read_on TEXT,
      rating INTEGER,
      review TEXT,
      added_at INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id)
    ) STRICT;
    CREATE INDEX book_by_ending ON book (workspace, substr(id, -4));
    CREATE INDEX book_by_title ON book (workspace, title_sort);
    CREATE INDEX book_by_added ON book (workspace, added_at);
    CREATE INDEX book_by_read ON book (workspace, is_read, title_sort);
    CREATE INDEX book_by_rating ON book (workspace, rating, title_sort);
    CREATE INDEX book_by_genre ON book (workspace, genre, title_sort);
    CREATE TABLE book_author (
      book INTEGER NOT NULL,
      author INTEGER NOT NULL,
      PRIMARY KEY (book, author)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX book_author_by_author ON book_author (author, book);

    CREATE TABLE visitor (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      first_name TEXT NOT NULL,
      last_name TEXT NOT NULL,
      first_sort TEXT NOT NULL,
      last_sort TEXT NOT NULL,
      registered_at INTEGER NOT NULL,
      visit_count INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id)
    ) STRICT;
    CREATE INDEX visitor_by_ending ON visitor (workspace, substr(id, -4));
    CREATE INDEX visitor_by_name ON visitor (workspace, last_sort, first_sort);
    CREATE INDEX visitor_by_registered ON visitor (workspace, registered_at);
    -- What a visitor is called by: the full name in either order, and the last name.
    CREATE TABLE visitor_key (
      workspace TEXT NOT NULL,
      key TEXT NOT NULL,
      visitor INTEGER NOT NULL,
      PRIMARY KEY (workspace, key, visitor)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX visitor_key_by_visitor ON visitor_key (workspace, visitor);

    CREATE TABLE visit (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      visitor INTEGER NOT NULL,
      arrived_at INTEGER NOT NULL,
      departed_at INTEGER,
      sequence INTEGER NOT NULL,
      UNIQUE (workspace, id)
    ) STRICT;
    CREATE INDEX visit_by_ending ON visit (workspace, substr(id, -4));
    CREATE INDEX visit_by_arrival ON visit (workspace, arrived_at);
    CREATE INDEX visit_by_visitor ON visit (workspace, visitor, arrived_at);
    CREATE INDEX visit_open ON visit (workspace, arrived_at) WHERE departed_at IS NULL;

    CREATE TABLE badge (
      origin INTEGER PRIMARY KEY,
      workspace TEXT NOT NULL,
      id TEXT NOT NULL,
      number TEXT NOT NULL,
      key TEXT NOT NULL,
      number_sort TEXT NOT NULL,
      visitor INTEGER,
      sequence INTEGER NOT NULL,
      title_search TEXT NOT NULL,
      text_search TEXT NOT NULL,
      UNIQUE (workspace, id),
      UNIQUE (workspace, key)
    ) STRICT;
    CREATE INDEX badge_by_ending ON badge (workspace, substr(id, -4));
    CREATE INDEX badge_by_number ON badge (workspace, number_sort);
    CREATE INDEX badge_by_visitor ON badge (workspace, visitor);

    -- The index over the search keys: the rows that hold each ending of a word (tokenizer `endings`), apart by where it
    -- is: `a` to `d` in a name, `e` to `h` in another field. So it gives what holds a part of a word together with its
    -- rank, no row read. `text_search` is a note, a review, or a visitor's name the other way round.
    CREATE VIEW searched (origin, title, text) AS
      SELECT origin, 'a' || title_search, 'e' || text_search FROM project
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM item
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM tag
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM book
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM author
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM genre
      UNION ALL SELECT origin, 'a' || title_search, 'a' || text_search FROM visitor
      UNION ALL SELECT origin, 'a' || title_search, 'e' || text_search FROM badge;
    CREATE VIRTUAL TABLE search USING fts5 (
      title, text, content = 'searched', content_rowid = 'origin', tokenize = 'endings', detail = none, columnsize = 0
    );
    """
}
