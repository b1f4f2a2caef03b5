import Messaging
import SQLite

/// Writes the search keys of entities, and the index over them.
final class DocumentRows {
  private let insert: Statement
  private let find: Statement
  private let update: Statement
  private let remove: Statement
  private let index: Statement
  private let unindex: Statement

  init(_ db: Connection) throws {
    insert = try db.prepare("INSERT INTO document (origin, workspace, title, text) VALUES (?, ?, ?, ?)")
    find = try db.prepare("SELECT title, text FROM document WHERE origin = ?")
    update = try db.prepare("UPDATE document SET title = ?2, text = ?3 WHERE origin = ?1")
    remove = try db.prepare("DELETE FROM document WHERE origin = ?")
    index = try db.prepare("INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)")
    unindex = try db.prepare("INSERT INTO search (search, rowid, title, text) VALUES ('delete', ?, ?, ?)")
  }

  /// `title` and `text` as people wrote them.
  func add(_ origin: Int64, _ place: FoldPlace, title: String, text: String? = nil) throws {
    let title = Text.searchKey(title)
    let text = text.map(Text.searchKey) ?? ""
    try insert.run(origin, place.workspace, title, text)
    try index.run(origin, title, text)
  }

  /// Nil keeps what is there.
  func change(_ origin: Int64, title: String? = nil, text: String? = nil) throws {
    let old = try known(origin)
    let new = (title: title.map(Text.searchKey) ?? old.title, text: text.map(Text.searchKey) ?? old.text)
    guard new != old else { return }
    try unindex.run(origin, old.title, old.text)
    try update.run(origin, new.title, new.text)
    try index.run(origin, new.title, new.text)
  }

  func delete(_ origin: Int64) throws {
    let old = try known(origin)
    try unindex.run(origin, old.title, old.text)
    try remove.run(origin)
  }

  /// The index takes words out only by the very text they came in with.
  private func known(_ origin: Int64) throws -> (title: String, text: String) {
    guard let row = try find.first(origin, row: { (title: $0.string(0), text: $0.string(1)) }) else {
      throw FoldError("there is no document \(origin) in the read model")
    }
    return row
  }
}
