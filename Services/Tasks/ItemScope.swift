import Contracts
import Messaging
import SQLite
import ServiceKit

/// Which items a command is about.
enum ItemScope {
  case one(MessageID)
  /// All of a project.
  case project(MessageID)
  /// The completed ones of a project.
  case completed(in: MessageID)
  /// The completed ones that are in no project.
  case completedInNone
  /// Every completed one.
  case allCompleted

  /// The condition on `item`; `?1` is the workspace, `?2` the id, null where there is none.
  fileprivate var condition: String {
    switch self {
    case .one: "item.id = ?2"
    case .project: "item.project = ?2"
    case .completed: "item.project = ?2 AND item.completed_at IS NOT NULL"
    case .completedInNone: "?2 IS NULL AND item.project IS NULL AND item.completed_at IS NOT NULL"
    case .allCompleted: "?2 IS NULL AND item.completed_at IS NOT NULL"
    }
  }

  fileprivate var id: MessageID? {
    switch self {
    case .one(let id), .project(let id), .completed(in: let id): id
    case .completedInNone, .allCompleted: nil
    }
  }
}

extension TasksDomain {
  /// The whole state of every item in the scope, in order of creation: two statements, however many there are.
  func itemStates(_ scope: ItemScope, in workspace: String) throws -> [TasksEvent.ItemState] {
    var tags: [MessageID: [Named]] = [:]
    try db.statement(
      """
      SELECT item.id, tag.id, tag.name FROM item
      JOIN item_tag ON item_tag.workspace = item.workspace AND item_tag.item = item.id
      JOIN tag ON tag.workspace = item_tag.workspace AND tag.id = item_tag.tag
      WHERE item.workspace = ?1 AND \(scope.condition) ORDER BY tag.key
      """
    ).forEach(workspace, scope.id) { row in
      tags[try row.id(0), default: []].append(Named(id: try row.id(1), name: row.string(2)))
    }
    return try db.statement("\(Item.select) WHERE item.workspace = ?1 AND \(scope.condition) ORDER BY item.created")
      .map(workspace, scope.id) { row in
        let item = try Item(row)
        return item.state(tags: tags[item.id] ?? [])
      }
  }
}
