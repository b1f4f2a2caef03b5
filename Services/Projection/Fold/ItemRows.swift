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

  private let db: Connection
  private let documents: DocumentRows
  private let workspaces: WorkspaceRows
  private let projects: ProjectRows
  private let tags: NamedRows
  private let insert: Statement
  private let find: Statement
  private let complete: Statement
  private let touch: Statement
  private let link: Statement
  private let unlink: Statement
  private let countTag: Statement
  private let countTags: Statement
  private let unlinkAll: Statement
  private let delete: Statement

  init(
    _ db: Connection, _ documents: DocumentRows, _ workspaces: WorkspaceRows, _ projects: ProjectRows,
    _ tags: NamedRows
  ) throws {
    self.db = db
    self.documents = documents
    self.workspaces = workspaces
    self.projects = projects
    self.tags = tags
    insert = try db.prepare(
      """
      INSERT INTO item (origin, workspace, id, title, key, title_sort, note, created_at, is_completed, completed_at,
        due_on, project, sequence)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    find = try db.prepare("SELECT origin, project, is_completed FROM item WHERE workspace = ? AND id = ?")
    complete = try db.prepare(
      "UPDATE item SET is_completed = ?2 IS NOT NULL, completed_at = ?2, sequence = ?3 WHERE origin = ?1")
    touch = try db.prepare("UPDATE item SET sequence = ?2 WHERE origin = ?1")
    link = try db.prepare("INSERT INTO item_tag (item, tag) VALUES (?, ?)")
    unlink = try db.prepare("DELETE FROM item_tag WHERE item = ? AND tag = ?")
    countTag = try db.prepare("UPDATE tag SET item_count = item_count + ?2 WHERE origin = ?1")
    countTags = try db.prepare(
      "UPDATE tag SET item_count = item_count - 1 WHERE origin IN (SELECT tag FROM item_tag WHERE item = ?)")
    unlinkAll = try db.prepare("DELETE FROM item_tag WHERE item = ?")
    delete = try db.prepare("DELETE FROM item WHERE origin = ?")
  }

  func added(_ event: TasksEvent.ItemAdded, at place: FoldPlace) throws {
    let origin = place.origin(.item)
    let project = try event.project.map { try projects.origin($0.id, at: place) }
    try insert.run(
      origin, place.workspace, event.id, event.title, event.key, Text.sortKey(event.key), event.note, event.createdAt,
      event.isCompleted, event.completedAt, event.dueOn, project, place.sequence)
    try documents.add(origin, place, title: event.title, text: event.note)
    try projects.count(project, items: 1, done: event.isCompleted ? 1 : 0)
    workspaces.count(place.workspace, .item, by: 1)
  }

  func edited(_ event: TasksEvent.ItemEdited, at place: FoldPlace) throws {
    let item = try known(event.id, at: place)
    try db.statement(
      """
      UPDATE item SET title = coalesce(?2, title), key = coalesce(?3, key), title_sort = coalesce(?4, title_sort),
        note = iif(?5, ?6, note), due_on = iif(?7, ?8, due_on), sequence = ?9
      WHERE origin = ?1
      """
    ).run(
      item.origin, event.title?.after, event.key, event.key.map(Text.sortKey), event.note != nil, event.note?.after,
      event.dueOn != nil, event.dueOn?.after, place.sequence)
    guard event.title != nil || event.note != nil else { return }
    try documents.change(item.origin, title: event.title?.after, text: event.note.map { $0.after ?? "" })
  }

  /// Nil reopens it.
  func completed(_ id: MessageID, _ completedAt: Timestamp?, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    try complete.run(item.origin, completedAt, place.sequence)
    try projects.count(item.project, items: 0, done: (completedAt == nil ? 0 : 1) - item.done)
  }

  func moved(_ id: MessageID, to project: MessageID?, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    let project = try project.map { try projects.origin($0, at: place) }
    try db.statement("UPDATE item SET project = ?2, sequence = ?3 WHERE origin = ?1")
      .run(item.origin, project, place.sequence)
    try projects.count(item.project, items: -1, done: -item.done)
    try projects.count(project, items: 1, done: item.done)
  }

  func deleted(_ id: MessageID, at place: FoldPlace) throws {
    let item = try known(id, at: place)
    try countTags.run(item.origin)
    try unlinkAll.run(item.origin)
    try delete.run(item.origin)
    try documents.delete(item.origin)
    try projects.count(item.project, items: -1, done: -item.done)
    workspaces.count(place.workspace, .item, by: -1)
  }

  func assigned(_ tag: MessageID, to item: MessageID, at place: FoldPlace) throws {
    let item = try known(item, at: place).origin
    let tag = try tags.origin(tag, at: place)
    try link.run(item, tag)
    try countTag.run(tag, 1)
    try touch.run(item, place.sequence)
  }

  func unassigned(_ tag: MessageID, from item: MessageID, at place: FoldPlace) throws {
    let item = try known(item, at: place).origin
    let tag = try tags.origin(tag, at: place)
    guard try unlink.run(item, tag) == 1 else { throw FoldError("the item \(item) does not have the tag \(tag)") }
    try countTag.run(tag, -1)
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
