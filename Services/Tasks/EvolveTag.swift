import Contracts
import SQLite
import ServiceKit

/// Writes what happened to tags.
struct TagRows {
  private let db: Connection
  private let insert: Statement
  private let link: Statement
  private let unlink: Statement
  private let touchItem: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare("INSERT INTO tag (workspace, id, name, key, created, sequence) VALUES (?, ?, ?, ?, ?, ?)")
    link = try db.prepare("INSERT INTO item_tag (workspace, item, tag) VALUES (?, ?, ?)")
    unlink = try db.prepare("DELETE FROM item_tag WHERE workspace = ? AND item = ? AND tag = ?")
    touchItem = try db.prepare("UPDATE item SET sequence = ?3 WHERE workspace = ?1 AND id = ?2")
  }

  func created(_ event: TasksEvent.TagCreated, at place: EventPlace) throws {
    try insert.run(place.workspace, event.id, event.name, event.key, place.sequence, place.sequence)
  }

  func renamed(_ event: TasksEvent.TagRenamed, at place: EventPlace) throws {
    try db.statement("UPDATE tag SET name = ?3, key = ?4, sequence = ?5 WHERE workspace = ?1 AND id = ?2")
      .run(place.workspace, event.id, event.name.after, event.key, place.sequence)
  }

  func assigned(_ event: TasksEvent.TagAssigned, at place: EventPlace) throws {
    try link.run(place.workspace, event.item.id, event.tag.id)
    try touchItem.run(place.workspace, event.item.id, place.sequence)
  }

  func unassigned(_ event: TasksEvent.TagUnassigned, at place: EventPlace) throws {
    try unlink.run(place.workspace, event.item.id, event.tag.id)
    try touchItem.run(place.workspace, event.item.id, place.sequence)
  }

  func deleted(_ event: TasksEvent.TagDeleted, at place: EventPlace) throws {
    try db.statement("DELETE FROM tag WHERE workspace = ? AND id = ?").run(place.workspace, event.id)
  }
}
