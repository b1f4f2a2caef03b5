import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to projects.
struct ProjectRows {
  private let context: FoldContext
  private var db: Connection { context.db }

  init(_ context: FoldContext) { self.context = context }

  func created(_ event: TasksEvent.ProjectCreated, at place: FoldPlace) throws {
    let origin = place.origin(.project)
    let keys = SearchKeys(title: event.name)
    try db.statement(
      """
      INSERT INTO project (origin, workspace, id, name, key, name_sort, place, place_key, place_sort, created_at,
        starts_on, ends_on, sequence, title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      origin, place.workspace, event.id, event.name, event.key, Text.sortKey(event.key), event.place,
      event.place.map(Text.uniqueKey), event.place.map(Text.sortKey), event.createdAt, event.startsOn, event.endsOn,
      place.sequence, keys.title, keys.text)
    try context.search.add(origin, keys)
    context.counts.count(place.workspace, .project, by: 1)
  }

  func edited(_ event: TasksEvent.ProjectEdited, at place: FoldPlace) throws {
    let spot = event.place?.after
    let origin = try db.statement(
      """
      UPDATE project SET name = coalesce(?3, name), key = coalesce(?4, key), name_sort = coalesce(?5, name_sort),
        place = iif(?6, ?7, place), place_key = iif(?6, ?8, place_key), place_sort = iif(?6, ?9, place_sort),
        starts_on = iif(?10, ?11, starts_on), ends_on = iif(?12, ?13, ends_on), sequence = ?14
      WHERE workspace = ?1 AND id = ?2 RETURNING origin
      """
    ).first(
      place.workspace, event.id, event.name?.after, event.key, event.key.map(Text.sortKey), event.place != nil, spot,
      spot.map(Text.uniqueKey), spot.map(Text.sortKey), event.startsOn != nil, event.startsOn?.after,
      event.endsOn != nil, event.endsOn?.after, place.sequence
    ) { $0.int64(0) }
    guard let origin else { throw FoldError.missing(.project, event.id) }
    if let name = event.name { try context.search.change(.project, origin, title: name.after) }
  }

  func deleted(_ id: MessageID, at place: FoldPlace) throws {
    let origin = try context.origins.origin(.project, id, at: place)
    context.origins.remove(.project, id, at: place)
    try context.search.deleteRow(.project, origin)
    context.counts.count(place.workspace, .project, by: -1)
  }
}
