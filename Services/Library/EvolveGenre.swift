import Contracts
import SQLite
import ServiceKit

/// Writes what happened to genres.
struct GenreRows {
  let db: Connection

  func added(_ event: LibraryEvent.GenreAdded, at place: EventPlace) throws {
    try db.statement("INSERT INTO genre (workspace, id, name, key, created, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?5)")
      .run(place.workspace, event.id, event.name, event.key, place.sequence)
  }

  func renamed(_ event: LibraryEvent.GenreRenamed, at place: EventPlace) throws {
    try db.statement("UPDATE genre SET name = ?3, key = ?4, sequence = ?5 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.id, event.name.after, event.key, place.sequence)
  }

  func removed(_ event: LibraryEvent.GenreRemoved, at place: EventPlace) throws {
    try db.statement("DELETE FROM genre WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
