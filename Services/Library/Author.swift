import Contracts
import Messaging
import SQLite
import ServiceKit

/// An author, as the rules read it.
struct Author: Entity {
  static let kind = "author"
  let id: MessageID
  let name: String
  let sequence: Int64

  var named: Named { Named(id: id, name: name) }
  /// Names are unique: there is nothing to tell apart.
  var candidate: JSONObject { ["name": .string(name)] }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    name = row.string(1)
    sequence = row.int64(2)
  }

  static func finder(_ db: Connection) throws -> EntityFinder<Author> {
    try EntityFinder(
      db,
      byID: "SELECT id, name, sequence FROM author WHERE workspace = ?1 AND id = ?2",
      byName: "SELECT id, name, sequence FROM author WHERE workspace = ?1 AND key = ?2")
  }
}
