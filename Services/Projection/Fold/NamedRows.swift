import Messaging
import SQLite
import ServiceKit

/// Writes entities that are little more than a unique name: tags, authors, genres.
struct NamedRows {
  private let kind: Kind
  private let context: FoldContext
  private let insert: Statement
  private let rename: Statement

  init(_ kind: Kind, _ context: FoldContext) throws {
    self.kind = kind
    self.context = context
    let db = context.db
    insert = try db.prepare(
      """
      INSERT INTO \(kind) (origin, workspace, id, name, key, name_sort, sequence, title_search, text_search)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    rename = try db.prepare(
      """
      UPDATE \(kind) SET name = ?3, key = ?4, name_sort = ?5, sequence = ?6 WHERE workspace = ?1 AND id = ?2
      RETURNING origin
      """)
  }

  func add(_ id: MessageID, name: String, key: String, at place: FoldPlace) throws {
    let origin = place.origin(kind)
    let keys = SearchKeys(title: name)
    try insert.run(
      origin, place.workspace, id, name, key, Text.sortKey(key), place.sequence, keys.title, keys.text)
    try context.search.add(origin, keys)
    context.origins.add(kind, id, origin, at: place)
    context.counts.count(place.workspace, kind, by: 1)
  }

  func rename(_ id: MessageID, name: String, key: String, at place: FoldPlace) throws {
    let origin = try rename.first(place.workspace, id, name, key, Text.sortKey(key), place.sequence) { $0.int64(0) }
    guard let origin else { throw FoldError.missing(kind, id) }
    try context.search.change(kind, origin, title: name)
  }

  func delete(_ id: MessageID, at place: FoldPlace) throws {
    let origin = try context.origins.origin(kind, id, at: place)
    context.origins.remove(kind, id, at: place)
    try context.search.deleteRow(kind, origin)
    context.counts.count(place.workspace, kind, by: -1)
  }
}
