import Contracts
import Messaging
import SQLite
import ServiceKit

/// A project, as the rules read it.
struct Project: Entity {
  static let kind = "project"
  let id: MessageID
  let name: String
  let sequence: Int64
  let place: String?
  let createdAt: Timestamp
  let startsOn: Day?
  let endsOn: Day?

  var named: Named { Named(id: id, name: name) }
  /// Names are unique: there is nothing to tell apart.
  var candidate: JSONObject { ["name": .string(name)] }
  var state: TasksEvent.ProjectState {
    .init(id: id, name: name, place: place, createdAt: createdAt, startsOn: startsOn, endsOn: endsOn)
  }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    name = row.string(1)
    sequence = row.int64(2)
    place = row.stringOrNil(3)
    createdAt = row.time(4)
    startsOn = try row.dayOrNil(5)
    endsOn = try row.dayOrNil(6)
  }

  static func finder(_ db: Connection) throws -> EntityFinder<Project> {
    let columns = "id, name, sequence, place, created_at, starts_on, ends_on"
    return try EntityFinder(
      db,
      byID: "SELECT \(columns) FROM project WHERE workspace = ?1 AND id = ?2",
      byName: "SELECT \(columns) FROM project WHERE workspace = ?1 AND key = ?2")
  }
}
