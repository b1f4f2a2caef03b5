import Contracts
import Messaging
import SQLite
import ServiceKit

/// A visitor, as the rules read it. Names need not be unique.
struct Visitor: Entity {
  static let kind = "visitor"
  let id: MessageID
  let firstName: String
  let lastName: String
  let sequence: Int64
  let registeredAt: Timestamp
  let badge: Named?
  let lastArrivedAt: Timestamp?

  /// As lists show it: `Lovelace, Ada`.
  var name: String { VisitorName.listed(first: firstName, last: lastName) }
  /// As it is said: `Ada Lovelace`.
  var fullName: String { VisitorName.full(first: firstName, last: lastName) }
  var named: Named { Named(id: id, name: name) }
  var state: VisitorLogEvent.VisitorState {
    .init(id: id, firstName: firstName, lastName: lastName, registeredAt: registeredAt)
  }
  var candidate: JSONObject {
    [
      "name": .string(name), "registeredAt": JSON(registeredAt), "lastArrivedAt": JSON(lastArrivedAt),
      "badge": JSON(badge?.name),
    ]
  }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    firstName = row.string(1)
    lastName = row.string(2)
    sequence = row.int64(3)
    registeredAt = row.time(4)
    badge = try row.idOrNil(5).map { Named(id: $0, name: row.string(6)) }
    lastArrivedAt = row.timeOrNil(7)
  }

  static func finder(_ db: Connection) throws -> EntityFinder<Visitor> {
    func select(from tables: String) -> String {
      """
      SELECT visitor.id, visitor.first_name, visitor.last_name, visitor.sequence, visitor.registered_at,
        badge.id, badge.number, (
          SELECT max(arrived_at) FROM visit
          WHERE visit.workspace = visitor.workspace AND visit.visitor = visitor.id)
      FROM \(tables)
      LEFT JOIN badge ON badge.workspace = visitor.workspace AND badge.visitor = visitor.id
      """
    }
    let keyed = """
      visitor_key
      JOIN visitor ON visitor.workspace = visitor_key.workspace AND visitor.id = visitor_key.visitor
      """
    return try EntityFinder(
      db,
      byID: "\(select(from: "visitor")) WHERE visitor.workspace = ?1 AND visitor.id = ?2",
      byName: """
        \(select(from: keyed)) WHERE visitor_key.workspace = ?1 AND visitor_key.key = ?2 ORDER BY visitor.created
        """)
  }

  /// The unique keys of what a visitor is found by: `Ada Lovelace`, `Lovelace Ada`, `Lovelace, Ada`, `Lovelace`. Each
  /// once, in this order.
  static func keys(first: String, last: String) -> [String] {
    let spoken = [VisitorName.full(first: first, last: last), VisitorName.full(first: last, last: first)]
    var keys: [String] = []
    for text in spoken + [VisitorName.listed(first: first, last: last), last] where !text.isEmpty {
      let key = Text.uniqueKey(text)
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }
}
