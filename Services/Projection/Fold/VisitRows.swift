import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to visits.
struct VisitRows {
  private let context: FoldContext
  private let insert: Statement
  private let end: Statement

  init(_ context: FoldContext) throws {
    self.context = context
    let db = context.db
    insert = try db.prepare(
      "INSERT INTO visit (origin, workspace, id, visitor, arrived_at, sequence) VALUES (?, ?, ?, ?, ?, ?)")
    end = try db.prepare("UPDATE visit SET departed_at = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
  }

  func recorded(_ event: VisitorLogEvent.VisitRecorded, at place: FoldPlace) throws {
    let visitor = try context.origins.origin(.visitor, event.visitor.id, at: place)
    try insert.run(place.origin(.visit), place.workspace, event.id, visitor, event.arrivedAt, place.sequence)
    context.counts.members(.visitor, visitor, by: 1)
    context.counts.count(place.workspace, .visit, by: 1)
  }

  func ended(_ event: VisitorLogEvent.VisitEnded, at place: FoldPlace) throws {
    guard try end.run(place.workspace, event.id, event.departedAt, place.sequence) == 1 else {
      throw FoldError.missing(.visit, event.id)
    }
  }

  func edited(_ event: VisitorLogEvent.VisitEdited, at place: FoldPlace) throws {
    let changed = try context.db.statement(
      """
      UPDATE visit SET arrived_at = coalesce(?3, arrived_at), departed_at = iif(?4, ?5, departed_at), sequence = ?6
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.arrivedAt?.after, event.departedAt != nil, event.departedAt?.after,
      place.sequence)
    guard changed == 1 else { throw FoldError.missing(.visit, event.id) }
  }

  func removed(_ id: MessageID, at place: FoldPlace) throws {
    let visitor = try context.db.statement("DELETE FROM visit WHERE workspace = ? AND id = ? RETURNING visitor")
      .first(place.workspace, id) { $0.int64(0) }
    guard let visitor else { throw FoldError.missing(.visit, id) }
    context.counts.members(.visitor, visitor, by: -1)
    context.counts.count(place.workspace, .visit, by: -1)
  }
}
