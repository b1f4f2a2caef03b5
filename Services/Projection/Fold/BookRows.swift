import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to books and to the authors and genres of them.
struct BookRows {
  private let context: FoldContext
  private var db: Connection { context.db }
  private let insert: Statement
  private let find: Statement
  private let link: Statement

  init(_ context: FoldContext) throws {
    self.context = context
    let db = context.db
    insert = try db.prepare(
      """
      INSERT INTO book (origin, workspace, id, title, key, title_sort, genre, is_read, read_on, rating, review,
        added_at, sequence, title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    find = try db.prepare("SELECT origin, genre FROM book WHERE workspace = ? AND id = ?")
    link = try db.prepare("INSERT INTO book_author (book, author) VALUES (?, ?)")
  }

  func added(_ event: LibraryEvent.BookAdded, at place: FoldPlace) throws {
    let origin = place.origin(.book)
    let genre = try event.genre.map { try context.origins.origin(.genre, $0.id, at: place) }
    let keys = SearchKeys(title: event.title, text: event.review)
    try insert.run(
      origin, place.workspace, event.id, event.title, event.key, Text.sortKey(event.key), genre, event.isRead,
      event.readOn, event.rating, event.review, event.addedAt, place.sequence, keys.title, keys.text)
    try linkAll(event.authors, to: origin, at: place)
    context.counts.members(.genre, genre, by: 1)
    try context.search.add(origin, keys)
    context.counts.count(place.workspace, .book, by: 1)
  }

  func edited(_ event: LibraryEvent.BookEdited, at place: FoldPlace) throws {
    let book = try known(event.id, at: place)
    if let title = event.title {
      try db.statement(
        "UPDATE book SET title = ?2, key = coalesce(?3, key), title_sort = coalesce(?4, title_sort) WHERE origin = ?1"
      ).run(book.origin, title.after, event.key, event.key.map(Text.sortKey))
      try context.search.change(.book, book.origin, title: title.after)
    }
    if let authors = event.authors {
      try unlinkAll(of: book.origin)
      try linkAll(authors.after, to: book.origin, at: place)
    }
    if let genre = event.genre {
      try setGenre(genre.after.map { try context.origins.origin(.genre, $0.id, at: place) }, of: book)
    }
    try touch(book.origin, at: place)
  }

  func read(_ event: LibraryEvent.BookRead, at place: FoldPlace) throws {
    try db.statement(
      "UPDATE book SET is_read = 1, read_on = iif(?2, ?3, read_on), sequence = ?4 WHERE origin = ?1"
    ).run(known(event.id, at: place).origin, event.readOn != nil, event.readOn?.after, place.sequence)
  }

  func unread(_ event: LibraryEvent.BookUnread, at place: FoldPlace) throws {
    try db.statement("UPDATE book SET is_read = 0, read_on = NULL, sequence = ?2 WHERE origin = ?1")
      .run(known(event.id, at: place).origin, place.sequence)
  }

  func rated(_ event: LibraryEvent.BookRated, at place: FoldPlace) throws {
    let book = try known(event.id, at: place)
    try db.statement(
      "UPDATE book SET rating = iif(?2, ?3, rating), review = iif(?4, ?5, review), sequence = ?6 WHERE origin = ?1"
    ).run(
      book.origin, event.rating != nil, event.rating?.after, event.review != nil, event.review?.after, place.sequence)
    if let review = event.review { try context.search.change(.book, book.origin, text: review.after ?? "") }
  }

  func detached(_ author: MessageID, from book: MessageID, at place: FoldPlace) throws {
    let book = try known(book, at: place).origin
    let author = try context.origins.origin(.author, author, at: place)
    let unlinked = try db.statement("DELETE FROM book_author WHERE book = ? AND author = ?").run(book, author)
    guard unlinked == 1 else { throw FoldError("the book \(book) does not have the author \(author)") }
    context.counts.members(.author, author, by: -1)
    try touch(book, at: place)
  }

  func genreCleared(_ book: MessageID, at place: FoldPlace) throws {
    let book = try known(book, at: place)
    try setGenre(nil, of: book)
    try touch(book.origin, at: place)
  }

  func removed(_ id: MessageID, at place: FoldPlace) throws {
    let book = try known(id, at: place)
    try unlinkAll(of: book.origin)
    context.counts.members(.genre, book.genre, by: -1)
    try context.search.deleteRow(.book, book.origin)
    context.counts.count(place.workspace, .book, by: -1)
  }

  private func linkAll(_ named: [Named], to book: Int64, at place: FoldPlace) throws {
    for author in named {
      let author = try context.origins.origin(.author, author.id, at: place)
      try link.run(book, author)
      context.counts.members(.author, author, by: 1)
    }
  }

  private func unlinkAll(of book: Int64) throws {
    let authors = try db.statement("SELECT author FROM book_author WHERE book = ?").map(book) { $0.int64(0) }
    for author in authors { context.counts.members(.author, author, by: -1) }
    try db.statement("DELETE FROM book_author WHERE book = ?").run(book)
  }

  private func setGenre(_ genre: Int64?, of book: (origin: Int64, genre: Int64?)) throws {
    try db.statement("UPDATE book SET genre = ?2 WHERE origin = ?1").run(book.origin, genre)
    context.counts.members(.genre, book.genre, by: -1)
    context.counts.members(.genre, genre, by: 1)
  }

  private func touch(_ book: Int64, at place: FoldPlace) throws {
    try db.statement("UPDATE book SET sequence = ?2 WHERE origin = ?1").run(book, place.sequence)
  }

  private func known(_ id: MessageID, at place: FoldPlace) throws -> (origin: Int64, genre: Int64?) {
    let known = try find.first(place.workspace, id) { (origin: $0.int64(0), genre: $0.int64OrNil(1)) }
    guard let known else { throw FoldError.missing(.book, id) }
    return known
  }
}
