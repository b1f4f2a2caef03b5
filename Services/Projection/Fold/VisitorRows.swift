import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to visitors.
struct VisitorRows {
  private let context: FoldContext
  private var db: Connection { context.db }
  private let insert: Statement
  private let insertKey: Statement

  init(_ context: FoldContext) throws {
    self.context = context
    let db = context.db
    insert = try db.prepare(
      """
      INSERT INTO visitor (origin, workspace, id, first_name, last_name, first_sort, last_sort, registered_at, sequence,
        title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertKey = try db.prepare(
      "INSERT INTO visitor_key (workspace, key, visitor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
  }

  func registered(_ event: VisitorLogEvent.VisitorRegistered, at place: FoldPlace) throws {
    let origin = place.origin(.visitor)
    let keys = SearchKeys(
      title: VisitorName.listed(first: event.firstName, last: event.lastName),
      text: VisitorName.full(first: event.firstName, last: event.lastName))
    try insert.run(
      origin, place.workspace, event.id, event.firstName, event.lastName, Text.sortKey(event.firstName),
      Text.sortKey(event.lastName), event.registeredAt, place.sequence, keys.title, keys.text)
    try context.search.add(origin, keys)
    for key in event.keys { try insertKey.run(place.workspace, key, origin) }
    context.counts.count(place.workspace, .visitor, by: 1)
  }

  func renamed(_ event: VisitorLogEvent.VisitorRenamed, at place: FoldPlace) throws {
    let origin = try context.origins.origin(.visitor, event.id, at: place)
    let names = try db.statement(
      """
      UPDATE visitor SET first_name = coalesce(?2, first_name), last_name = coalesce(?3, last_name),
        first_sort = coalesce(?4, first_sort), last_sort = coalesce(?5, last_sort), sequence = ?6
      WHERE origin = ?1 RETURNING first_name, last_name
      """
    ).first(
      origin, event.firstName?.after, event.lastName?.after, event.firstName.map { Text.sortKey($0.after) },
      event.lastName.map { Text.sortKey($0.after) }, place.sequence
    ) { (first: $0.string(0), last: $0.string(1)) }
    guard let names else { throw FoldError.missing(.visitor, event.id) }
    try deleteKeys(of: origin, at: place)
    for key in event.keys { try insertKey.run(place.workspace, key, origin) }
    try context.search.change(
      .visitor, origin, title: VisitorName.listed(first: names.first, last: names.last),
      text: VisitorName.full(first: names.first, last: names.last))
  }

  func removed(_ id: MessageID, at place: FoldPlace) throws {
    let origin = try context.origins.origin(.visitor, id, at: place)
    context.origins.remove(.visitor, id, at: place)
    try deleteKeys(of: origin, at: place)
    try context.search.deleteRow(.visitor, origin)
    context.counts.count(place.workspace, .visitor, by: -1)
  }

  private func deleteKeys(of origin: Int64, at place: FoldPlace) throws {
    try db.statement("DELETE FROM visitor_key WHERE workspace = ? AND visitor = ?").run(place.workspace, origin)
  }
}
