import Contracts
import Messaging
import SQLite
import ServiceKit

extension TasksDomain {
  /// The most tags that an item can have.
  static let mostTags = 100

  func createTag(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let name = fields.required("name", Fields.name, else: "")
    let ensure = fields.optional("ensure", Fields.bool) ?? false
    let wanted = fields.optional("id", Fields.id)
    try fields.finish()

    if ensure, let existing = try tags.findIfAny(.name(name), in: command.workspace) {
      return Accepted(existing.id, [])
    }
    let created = try newTag(name, id: wanted, in: command.workspace)
    return Accepted(created.id, [.tagCreated(created)])
  }

  func renameTag(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("tag", Fields.reference, else: .name(""))
    let name = fields.required("name", Fields.name, else: "")
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let tag = try tags.find(reference, in: command.workspace)
    try tag.check(ifSequence: ifSequence)
    let key = try freeTagKey(name, in: command.workspace, except: tag.id)
    guard let change = Changed(from: tag.name, to: name) else { return Accepted(tag.id, []) }
    return Accepted(tag.id, [.tagRenamed(.init(id: tag.id, key: key, name: change))])
  }

  /// The links go first, one event for each item; the items stay.
  func deleteTag(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("tag", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let tag = try tags.find(reference, in: command.workspace)
    try tag.check(ifSequence: ifSequence)
    let unassigned = try db.statement(
      """
      SELECT item.id, item.title FROM item_tag
      JOIN item ON item.workspace = item_tag.workspace AND item.id = item_tag.item
      WHERE item_tag.workspace = ? AND item_tag.tag = ? ORDER BY item.created
      """
    ).map(command.workspace, tag.id) { row in
      TasksEvent.tagUnassigned(.init(item: Named(id: try row.id(0), name: row.string(1)), tag: tag.named))
    }
    return Accepted(tag.id, unassigned + [.tagDeleted(.init(last: tag.named, items: unassigned.count))])
  }

  /// The creation of a tag whose name nobody has.
  func newTag(_ name: String, id: MessageID? = nil, in workspace: String) throws -> TasksEvent.TagCreated {
    let key = try freeTagKey(name, in: workspace)
    return .init(id: try ids.take(id, in: workspace), name: name, key: key)
  }

  /// A tag's name is unique in its workspace, whatever its letter case.
  private func freeTagKey(_ name: String, in workspace: String, except: MessageID? = nil) throws -> String {
    try tags.freeKey(of: name, in: workspace, except: except, code: "tag-name-taken")
  }
}
