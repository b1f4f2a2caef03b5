import Contracts
import Messaging
import SQLite
import ServiceKit

/// A badge, as the rules read it. Its name is its number.
struct Badge: Entity {
  static let kind = "badge"
  let id: MessageID
  let name: String
  let sequence: Int64
  /// Who has it.
  let holder: Named?

  var named: Named { Named(id: id, name: name) }
  /// Numbers are unique: there is nothing to tell apart.
  var candidate: JSONObject { ["number": .string(name)] }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    name = row.string(1)
    sequence = row.int64(2)
    holder = try row.idOrNil(3).map {
      Named(id: $0, name: VisitorName.listed(first: row.string(4), last: row.string(5)))
    }
  }

  static func finder(_ db: Connection) throws -> EntityFinder<Badge> {
    let select = """
      SELECT badge.id, badge.number, badge.sequence, visitor.id, visitor.first_name, visitor.last_name
      FROM badge LEFT JOIN visitor ON visitor.workspace = badge.workspace AND visitor.id = badge.visitor
      """
    return try EntityFinder(
      db,
      byID: "\(select) WHERE badge.workspace = ?1 AND badge.id = ?2",
      byName: "\(select) WHERE badge.workspace = ?1 AND badge.key = ?2")
  }
}
