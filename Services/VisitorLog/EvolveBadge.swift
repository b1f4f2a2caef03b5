import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to badges.
struct BadgeRows {
  let db: Connection

  func added(_ event: VisitorLogEvent.BadgeAdded, at place: EventPlace) throws {
    try db.statement(
      "INSERT INTO badge (workspace, id, number, key, created, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?5)"
    )
    .run(place.workspace, event.id, event.number, event.key, place.sequence)
  }

  /// Nil: nobody has it any more.
  func held(_ id: MessageID, by visitor: MessageID?, at place: EventPlace) throws {
    try db.statement("UPDATE badge SET visitor = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, id, visitor, place.sequence)
  }

  func removed(_ event: VisitorLogEvent.BadgeRemoved, at place: EventPlace) throws {
    try db.statement("DELETE FROM badge WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
