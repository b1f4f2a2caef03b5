import Contracts
import Messaging
import SQLite
import ServiceKit

/// An item, as the rules read it. Titles need not be unique.
struct Item: Entity {
  static let kind = "item"
  let id: MessageID
  let name: String
  let sequence: Int64
  let note: String?
  let createdAt: Timestamp
  let completedAt: Timestamp?
  let dueOn: Day?
  let project: Named?

  var title: String { name }
  var named: Named { Named(id: id, name: name) }
  var candidate: JSONObject {
    [
      "title": .string(title), "project": project.json, "dueOn": JSON(dueOn), "completedAt": JSON(completedAt),
      "createdAt": JSON(createdAt),
    ]
  }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    name = row.string(1)
    sequence = row.int64(2)
    note = row.stringOrNil(3)
    createdAt = row.time(4)
    completedAt = row.timeOrNil(5)
    dueOn = try row.dayOrNil(6)
    project = try row.idOrNil(7).map { Named(id: $0, name: row.string(8)) }
  }

  /// Every statement that reads items begins so.
  static let select = """
    SELECT item.id, item.title, item.sequence, item.note, item.created_at, item.completed_at, item.due_on,
      project.id, project.name
    FROM item LEFT JOIN project ON project.workspace = item.workspace AND project.id = item.project
    """

  static func finder(_ db: Connection) throws -> EntityFinder<Item> {
    try EntityFinder(
      db,
      byID: "\(select) WHERE item.workspace = ?1 AND item.id = ?2",
      byName: "\(select) WHERE item.workspace = ?1 AND item.key = ?2 ORDER BY item.created")
  }

  /// All that it is, with its tags.
  func state(tags: [Named]) -> TasksEvent.ItemState {
    .init(
      id: id, title: title, note: note, createdAt: createdAt, completedAt: completedAt, dueOn: dueOn,
      project: project, tags: tags)
  }
}
