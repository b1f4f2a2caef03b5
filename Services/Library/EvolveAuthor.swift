import Contracts
import SQLite
import ServiceKit

/// Writes what happened to authors.
struct AuthorRows {
  private let db: Connection
  private let insert: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare(
      "INSERT INTO author (workspace, id, name, key, created, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?5)")
  }

  func added(_ event: LibraryEvent.AuthorAdded, at place: EventPlace) throws {
    try insert.run(place.workspace, event.id, event.name, event.key, place.sequence)
  }

  func renamed(_ event: LibraryEvent.AuthorRenamed, at place: EventPlace) throws {
    try db.statement("UPDATE author SET name = ?3, key = ?4, sequence = ?5 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.id, event.name.after, event.key, place.sequence)
  }

  func removed(_ event: LibraryEvent.AuthorRemoved, at place: EventPlace) throws {
    try db.statement("DELETE FROM author WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
