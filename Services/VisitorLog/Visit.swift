import Contracts
import Messaging
import SQLite
import ServiceKit

/// A visit, as the rules read it. It has no name of its own: a command gives its id.
struct Visit: Entity {
  static let kind = "visit"
  let id: MessageID
  let visitor: Named
  let sequence: Int64
  let arrivedAt: Timestamp
  let departedAt: Timestamp?

  var name: String { "\(visitor.name), \(arrivedAt)" }
  var state: VisitorLogEvent.VisitState {
    .init(id: id, visitor: visitor, arrivedAt: arrivedAt, departedAt: departedAt)
  }
  var candidate: JSONObject {
    ["visitor": visitor.json, "arrivedAt": JSON(arrivedAt), "departedAt": JSON(departedAt)]
  }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    visitor = Named(id: try row.id(1), name: VisitorName.listed(first: row.string(2), last: row.string(3)))
    sequence = row.int64(4)
    arrivedAt = row.time(5)
    departedAt = row.timeOrNil(6)
  }

  /// Every statement that reads visits begins so.
  static let select = """
    SELECT visit.id, visitor.id, visitor.first_name, visitor.last_name, visit.sequence, visit.arrived_at,
      visit.departed_at
    FROM visit JOIN visitor ON visitor.workspace = visit.workspace AND visitor.id = visit.visitor
    """

  static func finder(_ db: Connection) throws -> EntityFinder<Visit> {
    try EntityFinder(db, byID: "\(select) WHERE visit.workspace = ?1 AND visit.id = ?2", byName: nil)
  }
}

extension VisitorLogDomain {
  /// A visitor's visits that have not ended, newest first.
  func openVisits(of visitor: MessageID, in workspace: String) throws -> [Visit] {
    try db.statement(
      """
      \(Visit.select) WHERE visit.workspace = ? AND visit.visitor = ? AND visit.departed_at IS NULL
      ORDER BY visit.arrived_at DESC, visit.created DESC
      """
    ).map(workspace, visitor, row: Visit.init)
  }

  /// A visitor's newest visit; nil where there was none.
  func lastVisit(of visitor: MessageID, in workspace: String) throws -> Visit? {
    try db.statement(
      """
      \(Visit.select) WHERE visit.workspace = ? AND visit.visitor = ?
      ORDER BY visit.arrived_at DESC, visit.created DESC LIMIT 1
      """
    ).first(workspace, visitor, row: Visit.init)
  }

  /// All visits of a visitor, in the order of their creation.
  func allVisits(of visitor: MessageID, in workspace: String) throws -> [Visit] {
    try db.statement("\(Visit.select) WHERE visit.workspace = ? AND visit.visitor = ? ORDER BY visit.created")
      .map(workspace, visitor, row: Visit.init)
  }
}
