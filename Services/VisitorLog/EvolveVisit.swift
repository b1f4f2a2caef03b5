import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to visits.
struct VisitRows {
  private let db: Connection
  private let insert: Statement
  private let end: Statement
  private let delete: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare(
      "INSERT INTO visit (workspace, id, visitor, arrived_at, created, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?5)")
    end = try db.prepare("UPDATE visit SET departed_at = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
    delete = try db.prepare("DELETE FROM visit WHERE workspace = ? AND id = ?")
  }

  func recorded(_ event: VisitorLogEvent.VisitRecorded, at place: EventPlace) throws {
    try insert.run(place.workspace, event.id, event.visitor.id, event.arrivedAt, place.sequence)
  }

  func ended(_ event: VisitorLogEvent.VisitEnded, at place: EventPlace) throws {
    try end.run(place.workspace, event.id, event.departedAt, place.sequence)
  }

  func edited(_ event: VisitorLogEvent.VisitEdited, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE visit SET arrived_at = coalesce(?3, arrived_at), departed_at = iif(?4, ?5, departed_at), sequence = ?6
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.arrivedAt?.after, event.departedAt != nil, event.departedAt?.after,
      place.sequence)
  }

  func deleted(_ id: MessageID, at place: EventPlace) throws { try delete.run(place.workspace, id) }
}
