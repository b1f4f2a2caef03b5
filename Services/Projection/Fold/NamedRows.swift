import Messaging
import SQLite
import ServiceKit

/// Writes entities that are little more than a unique name: tags, authors, genres.
struct NamedRows {
  private let kind: Kind
  private let documents: DocumentRows
  private let workspaces: WorkspaceRows
  private let insert: Statement
  private let rename: Statement
  private let remove: Statement
  private let find: Statement

  init(_ kind: Kind, _ db: Connection, _ documents: DocumentRows, _ workspaces: WorkspaceRows) throws {
    self.kind = kind
    self.documents = documents
    self.workspaces = workspaces
    insert = try db.prepare(
      "INSERT INTO \(kind) (origin, workspace, id, name, key, name_sort, sequence) VALUES (?, ?, ?, ?, ?, ?, ?)")
    rename = try db.prepare(
      """
      UPDATE \(kind) SET name = ?3, key = ?4, name_sort = ?5, sequence = ?6 WHERE workspace = ?1 AND id = ?2
      RETURNING origin
      """)
    remove = try db.prepare("DELETE FROM \(kind) WHERE workspace = ? AND id = ? RETURNING origin")
    find = try db.prepare("SELECT origin FROM \(kind) WHERE workspace = ? AND id = ?")
  }

  func add(_ id: MessageID, name: String, key: String, at place: FoldPlace) throws {
    let origin = place.origin(kind)
    try insert.run(origin, place.workspace, id, name, key, Text.sortKey(key), place.sequence)
    try documents.add(origin, place, title: name)
    workspaces.count(place.workspace, kind, by: 1)
  }

  func rename(_ id: MessageID, name: String, key: String, at place: FoldPlace) throws {
    let origin = try rename.first(place.workspace, id, name, key, Text.sortKey(key), place.sequence) { $0.int64(0) }
    guard let origin else { throw FoldError.missing(kind, id) }
    try documents.change(origin, title: name)
  }

  func delete(_ id: MessageID, at place: FoldPlace) throws {
    guard let origin = try remove.first(place.workspace, id, row: { $0.int64(0) }) else {
      throw FoldError.missing(kind, id)
    }
    try documents.delete(origin)
    workspaces.count(place.workspace, kind, by: -1)
  }

  /// Throws where there is none of that id.
  func origin(_ id: MessageID, at place: FoldPlace) throws -> Int64 {
    guard let origin = try find.first(place.workspace, id, row: { $0.int64(0) }) else {
      throw FoldError.missing(kind, id)
    }
    return origin
  }
}
