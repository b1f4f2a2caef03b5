import Contracts
import Messaging
import SQLite
import ServiceKit

/// Writes what happened to items and to the tags on them.
struct ItemRows {
  private struct Known {
    let origin: Int64
    let project: Int64?
    let isCompleted: Bool
    var done: Int { isCompleted ? 1 : 0 }
  }

  private let context: FoldContext
  private let insert: Statement
  private let find: Statement
  private let complete: Statement
  private let touch: Statement
  private let link: Statement
  private let unlink: Statement
  private let tagsOf: Statement
  private let unlinkAll: Statement

  init(_ context: FoldContext) throws {
    self.context = context
    let db = context.db
    insert = try db.prepare(
      """
      INSERT INTO item (origin, workspace, id, title, key, title_sort, note, created_at, is_completed, completed_at,
        due_on, project, sequence, title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    find = try db.prepare("SELECT origin, project, is_completed FROM item WHERE workspace = ? AND id = ?")
    complete = try db.prepare(
      "UPDATE item SET is_completed = ?2 IS NOT NULL, completed_at = ?2, sequence = ?3 WHERE origin = ?1")
    touch = try db.prepare("UPDATE item SET sequence = ?2 WHERE origin = ?1")
    link = try db.prepare("INSERT INTO item_tag (item, tag) VALUES (?, ?)")
    unlink = try db.prepare("DELETE FROM item_tag WHERE item = ? AND tag = ?")
    tagsOf = try db.prepare("SELECT tag FROM item_tag WHERE item = ?")
    unlinkAll = try db.prepare("DELETE FROM item_tag WHERE item = ?")
  }

  func added(_ event: TasksEvent.ItemAdded, at place: FoldPlace) throws {
    let origin = place.origin(.item)
    let project = try event.project.map { try context.origins.origin(.project, $0.id, at: place) }
    let keys = SearchKeys(title: event.title, text: event.note)
    try insert.run(
      origin, place.workspace, event.id, event.title, event.key, Text.sortKey(event.key), event.note, event.createdAt,
      event.isCompleted, event.completedAt, event.dueOn, project, place.sequence, keys.title,
      keys.text)
    try context.search.add(origin, keys)
    context.origins.add(.item, event.id, origin, at: place)
    context.counts.members(.project, project, by: 1, done: event.isCompleted ? 1 : 0)
    context.counts.count(place.workspace, .item, by: 1)
  }

  func edited(_ event: TasksEvent.ItemEdited, at place: FoldPlace) throws {
    let item = try known(event.id, at: place)
    try context.db.statement(
      """
      UPDATE item SET title = coalesce(?2, title), key = coalesce(?3, key), title_sort = coalesce(?4, title_sort),
        note = iif(?5, ?6, note), due_on = iif(?7, ?8, due_on), sequence = ?9
      WHERE origin = ?1
      """
    ).run(
      item.origin, event.title?.after, event.key, event.key.map(Text.sortKey), event.note != nil, event.note?.after,
      event.dueOn != nil, event.dueOn?.after, place.sequence)
    guard event.title != nil || event.note != nil else { return }
    try context.search.change(.item, item.origin, title: event.title?.after, text: event.note.map { $0.after ?? "" })
  }

  /// Nil reopens it.
  func completed(_ id: MessageID, _ completedAt: Timestamp?, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    try complete.run(item.origin, completedAt, place.sequence)
    context.counts.members(.project, item.project, by: 0, done: (completedAt == nil ? 0 : 1) - item.done)
  }

  func moved(_ id: MessageID, to project: MessageID?, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    let project = try project.map { try context.origins.origin(.project, $0, at: place) }
    try context.db.statement("UPDATE item SET project = ?2, sequence = ?3 WHERE origin = ?1")
      .run(item.origin, project, place.sequence)
    context.counts.members(.project, item.project, by: -1, done: -item.done)
    context.counts.members(.project, project, by: 1, done: item.done)
  }

  func deleted(_ id: MessageID, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    for tag in try tagsOf.map(item.origin, row: { $0.int64(0) }) { context.counts.members(.tag, tag, by: -1) }
    try unlinkAll.run(item.origin)
    context.origins.remove(.item, id, at: place)
    try context.search.deleteRow(.item, item.origin)
    context.counts.members(.project, item.project, by: -1, done: -item.done)
    context.counts.count(place.workspace, .item, by: -1)
  }

  func assigned(_ tag: MessageID, to item: MessageID, at place: FoldPlace) throws {
    let item = try context.origins.origin(.item, item, at: place)
    let tag = try context.origins.origin(.tag, tag, at: place)
    try link.run(item, tag)
    context.counts.members(.tag, tag, by: 1)
    try touch.run(item, place.sequence)
  }

  func unassigned(_ tag: MessageID, from item: MessageID, at place: FoldPlace) throws {
    let item = try context.origins.origin(.item, item, at: place)
    let tag = try context.origins.origin(.tag, tag, at: place)
    guard try unlink.run(item, tag) == 1 else { throw FoldError("the item \(item) does not have the tag \(tag)") }
    context.counts.members(.tag, tag, by: -1)
    try touch.run(item, place.sequence)
  }

  private func known(_ id: MessageID, at place: FoldPlace) throws -> Known {
    let known = try find.first(place.workspace, id) {
      Known(origin: $0.int64(0), project: $0.int64OrNil(1), isCompleted: $0.bool(2))
    }
    guard let known else { throw FoldError.missing(.item, id) }
    return known
  }
}
