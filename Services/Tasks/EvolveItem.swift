import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to items.
struct ItemRows {
  private let db: Connection
  private let insert: Statement
  private let complete: Statement
  private let move: Statement
  private let deleteLinks: Statement
  private let delete: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare(
      """
      INSERT INTO item
        (workspace, id, title, key, note, created_at, completed_at, due_on, project, created, sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)
      """)
    complete = try db.prepare("UPDATE item SET completed_at = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
    move = try db.prepare("UPDATE item SET project = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
    deleteLinks = try db.prepare("DELETE FROM item_tag WHERE workspace = ? AND item = ?")
    delete = try db.prepare("DELETE FROM item WHERE workspace = ? AND id = ?")
  }

  func added(_ event: TasksEvent.ItemAdded, at place: EventPlace) throws {
    try insert.run(
      place.workspace, event.id, event.title, event.key, event.note, event.createdAt, event.completedAt, event.dueOn,
      event.project?.id, place.sequence)
  }

  func edited(_ event: TasksEvent.ItemEdited, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE item SET title = coalesce(?3, title), key = coalesce(?4, key), note = iif(?5, ?6, note),
        due_on = iif(?7, ?8, due_on), sequence = ?9
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.title?.after, event.key, event.note != nil, event.note?.after,
      event.dueOn != nil, event.dueOn?.after, place.sequence)
  }

  /// Nil reopens it.
  func completed(_ id: MessageID, _ completedAt: Timestamp?, at place: EventPlace) throws {
    try complete.run(place.workspace, id, completedAt, place.sequence)
  }

  func moved(_ event: TasksEvent.ItemMoved, at place: EventPlace) throws {
    try move.run(place.workspace, event.id, event.project.after?.id, place.sequence)
  }

  func deleted(_ id: MessageID, at place: EventPlace) throws {
    try deleteLinks.run(place.workspace, id)
    try delete.run(place.workspace, id)
  }
}
