import Contracts
import SQLite
import ServiceKit

/// Writes what happened to projects.
struct ProjectRows {
  let db: Connection

  func created(_ event: TasksEvent.ProjectCreated, at place: EventPlace) throws {
    try db.statement(
      """
      INSERT INTO project (workspace, id, name, key, place, created_at, starts_on, ends_on, created, sequence)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
      """
    ).run(
      place.workspace, event.id, event.name, event.key, event.place, event.createdAt, event.startsOn, event.endsOn,
      place.sequence)
  }

  func edited(_ event: TasksEvent.ProjectEdited, at place: EventPlace) throws {
    try db.statement(
      """
      UPDATE project SET name = coalesce(?3, name), key = coalesce(?4, key), place = iif(?5, ?6, place),
        starts_on = iif(?7, ?8, starts_on), ends_on = iif(?9, ?10, ends_on), sequence = ?11
      WHERE workspace = ?1 AND id = ?2
      """
    ).run(
      place.workspace, event.id, event.name?.after, event.key, event.place != nil, event.place?.after,
      event.startsOn != nil, event.startsOn?.after, event.endsOn != nil, event.endsOn?.after, place.sequence)
  }

  func deleted(_ event: TasksEvent.ProjectDeleted, at place: EventPlace) throws {
    try db.statement("DELETE FROM project WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
