import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to books.
struct BookRows {
  private let db: Connection
  private let insert: Statement
  private let link: Statement
  private let unlinkAll: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare(
      """
      INSERT INTO book
        (workspace, id, title, key, genre, is_read, read_on, rating, review, added_at, created, sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)
      """)
    link = try db.prepare("INSERT INTO book_author (workspace, book, author, position) VALUES (?, ?, ?, ?)")
    unlinkAll = try db.prepare("DELETE FROM book_author WHERE workspace = ? AND book = ?")
  }

  func added(_ event: LibraryEvent.BookAdded, at place: EventPlace) throws {
    try insert.run(
      place.workspace, event.id, event.title, event.key, event.genre?.id, event.isRead, event.readOn, event.rating,
      event.review, event.addedAt, place.sequence)
    try linkAll(event.authors, to: event.id, at: place)
  }

  func edited(_ event: LibraryEvent.BookEdited, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE book SET title = coalesce(?3, title), key = coalesce(?4, key), genre = iif(?5, ?6, genre), sequence = ?7
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.title?.after, event.key, event.genre != nil, event.genre?.after?.id,
      place.sequence)
    guard let authors = event.authors else { return }
    try unlinkAll.run(place.workspace, event.id)
    try linkAll(authors.after, to: event.id, at: place)
  }

  private func linkAll(_ authors: [Named], to book: MessageID, at place: EventPlace) throws {
    for (position, author) in authors.enumerated() { try link.run(place.workspace, book, author.id, position) }
  }

  func read(_ event: LibraryEvent.BookRead, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE book SET is_read = 1, read_on = iif(?3, ?4, read_on), sequence = ?5 WHERE workspace = ?1 AND id = ?2
      """
    ).run(place.workspace, event.id, event.readOn != nil, event.readOn?.after, place.sequence)
  }

  func unread(_ event: LibraryEvent.BookUnread, at place: EventPlace) throws {
    try db.statement("UPDATE book SET is_read = 0, read_on = NULL, sequence = ?3 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.id, place.sequence)
  }

  func rated(_ event: LibraryEvent.BookRated, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE book SET rating = iif(?3, ?4, rating), review = iif(?5, ?6, review), sequence = ?7
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.rating != nil, event.rating?.after, event.review != nil, event.review?.after,
      place.sequence)
  }

  func authorDetached(_ event: LibraryEvent.BookAuthorDetached, at place: EventPlace) throws {
    try db.statement("DELETE FROM book_author WHERE workspace = ? AND book = ? AND author = ?")
      .run(place.workspace, event.book.id, event.author.id)
    try db.statement("UPDATE book SET sequence = ?3 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.book.id, place.sequence)
  }

  func genreCleared(_ event: LibraryEvent.BookGenreCleared, at place: EventPlace) throws {
    try db.statement("UPDATE book SET genre = NULL, sequence = ?3 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.book.id, place.sequence)
  }

  func removed(_ event: LibraryEvent.BookRemoved, at place: EventPlace) throws {
    try unlinkAll.run(place.workspace, event.id)
    try db.statement("DELETE FROM book WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
