import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to visitors.
struct VisitorRows {
  private let db: Connection
  private let insert: Statement
  private let insertKey: Statement
  private let deleteKeys: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare(
      """
      INSERT INTO visitor (workspace, id, first_name, last_name, registered_at, created, sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
      """)
    insertKey = try db.prepare("INSERT INTO visitor_key (workspace, key, visitor) VALUES (?, ?, ?)")
    deleteKeys = try db.prepare("DELETE FROM visitor_key WHERE workspace = ? AND visitor = ?")
  }

  func registered(_ event: VisitorLogEvent.VisitorRegistered, at place: EventPlace) throws {
    try insert.run(
      place.workspace, event.id, event.firstName, event.lastName, event.registeredAt, place.sequence)
    for key in event.keys { try insertKey.run(place.workspace, key, event.id) }
  }

  func renamed(_ event: VisitorLogEvent.VisitorRenamed, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE visitor SET first_name = coalesce(?3, first_name), last_name = coalesce(?4, last_name), sequence = ?5
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(place.workspace, event.id, event.firstName?.after, event.lastName?.after, place.sequence)
    try deleteKeys.run(place.workspace, event.id)
    for key in event.keys { try insertKey.run(place.workspace, key, event.id) }
  }

  func removed(_ event: VisitorLogEvent.VisitorRemoved, at place: EventPlace) throws {
    try deleteKeys.run(place.workspace, event.id)
    try db.statement("DELETE FROM visitor WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
