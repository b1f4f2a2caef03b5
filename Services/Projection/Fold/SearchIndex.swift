import Messaging
import SQLite

/// What an entity is found by: search keys of what it is called, and of a note, a review, or a name the other way
/// round. Kept in the entity's row.
struct SearchKeys: Equatable {
  var title: String
  var text: String

  /// Of texts as people wrote them.
  init(title: String, text: String? = nil) {
    self.title = Text.searchKey(title)
    self.text = text.map(Text.searchKey) ?? ""
  }

  /// As they stand in the columns `title_search` and `text_search`.
  init(_ row: borrowing Row, at column: Int = 0) {
    title = row.string(column)
    text = row.string(column + 1)
  }
}

/// Writes the index over the search keys. It takes words out only by the very keys they came in with.
final class SearchIndex {
  private let db: Connection
  private let insert: Statement
  private let remove: Statement

  init(_ db: Connection) throws {
    self.db = db
    insert = try db.prepare("INSERT INTO search (rowid, title, text) VALUES (?, ?, ?)")
    remove = try db.prepare("INSERT INTO search (search, rowid, title, text) VALUES ('delete', ?, ?, ?)")
  }

  func add(_ origin: Int64, _ keys: SearchKeys) throws { try run(insert, origin, keys) }
  func delete(_ origin: Int64, _ keys: SearchKeys) throws { try run(remove, origin, keys) }

  /// Each key behind the letter that its tokens are told apart by, as the view `searched` gives it.
  private func run(_ statement: Statement, _ origin: Int64, _ keys: SearchKeys) throws {
    let isName = Origin(number: origin).kind == .visitor
    try statement.run(origin, "a" + keys.title, (isName ? "a" : "e") + keys.text)
  }

  /// Changes the keys of an entity, in its row and in the index; nil keeps what is there.
  func change(_ kind: Kind, _ origin: Int64, title: String? = nil, text: String? = nil) throws {
    let old = try db.statement("SELECT title_search, text_search FROM \(kind) WHERE origin = ?")
      .first(origin) { SearchKeys($0) }
    guard let old else { throw FoldError("there is no \(kind) \(origin) in the read model") }
    var new = old
    if let title { new.title = Text.searchKey(title) }
    if let text { new.text = Text.searchKey(text) }
    guard new != old else { return }
    try delete(origin, old)
    try db.statement("UPDATE \(kind) SET title_search = ?2, text_search = ?3 WHERE origin = ?1")
      .run(origin, new.title, new.text)
    try add(origin, new)
  }

  /// Deletes an entity's row, and its keys from the index.
  func deleteRow(_ kind: Kind, _ origin: Int64) throws {
    let keys = try db.statement("DELETE FROM \(kind) WHERE origin = ? RETURNING title_search, text_search")
      .first(origin) { SearchKeys($0) }
    guard let keys else { throw FoldError("there is no \(kind) \(origin) in the read model") }
    try delete(origin, keys)
  }
}
