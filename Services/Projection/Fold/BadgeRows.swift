import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to badges.
struct BadgeRows {
  let context: FoldContext
  private var db: Connection { context.db }

  func added(_ event: VisitorLogEvent.BadgeAdded, at place: FoldPlace) throws {
    let origin = place.origin(.badge)
    let keys = SearchKeys(title: event.number)
    try db.statement(
      """
      INSERT INTO badge (origin, workspace, id, number, key, number_sort, sequence, title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      origin, place.workspace, event.id, event.number, event.key, Text.sortKey(event.key), place.sequence, keys.title,
      keys.text)
    try context.search.add(origin, keys)
    context.counts.count(place.workspace, .badge, by: 1)
  }

  /// Nil: it came back.
  func issued(_ id: MessageID, to visitor: MessageID?, at place: FoldPlace) throws {
    let visitor = try visitor.map { try context.origins.origin(.visitor, $0, at: place) }
    let changed = try db.statement("UPDATE badge SET visitor = ?3, sequence = ?4 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, id, visitor, place.sequence)
    guard changed == 1 else { throw FoldError.missing(.badge, id) }
  }

  func removed(_ id: MessageID, at place: FoldPlace) throws {
    let origin = try context.origins.origin(.badge, id, at: place)
    context.origins.remove(.badge, id, at: place)
    try context.search.deleteRow(.badge, origin)
    context.counts.count(place.workspace, .badge, by: -1)
  }
}
