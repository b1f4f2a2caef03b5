import Contracts
import Messaging
import SQLite
import ServiceKit

extension TasksDomain {
  func assignTag(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let itemReference = fields.required("item", Fields.reference, else: .name(""))
    let tagReference = fields.required("tag", Fields.reference, else: .name(""))
    let ensure = fields.optional("ensure", Fields.bool) ?? false
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let workspace = command.workspace
    let item = try items.find(itemReference, in: workspace)
    try item.check(ifSequence: ifSequence)
    if let tag = try tags.findIfAny(tagReference, in: workspace) {
      guard try !hasTag(item.id, tag.id, in: workspace) else { return Accepted(item.id, []) }
      try checkRoomForTag(item, in: workspace)
      return Accepted(item.id, [.tagAssigned(.init(item: item.named, tag: tag.named))])
    }
    guard ensure, case .name(let name) = tagReference else {
      throw Problem.notFound(Tag.kind, tagReference.description)
    }
    try checkRoomForTag(item, in: workspace)
    let created = try newTag(name, in: workspace)
    let tag = Named(id: created.id, name: created.name)
    return Accepted(item.id, [.tagCreated(created), .tagAssigned(.init(item: item.named, tag: tag))])
  }

  func unassignTag(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let itemReference = fields.required("item", Fields.reference, else: .name(""))
    let tagReference = fields.required("tag", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let item = try items.find(itemReference, in: command.workspace)
    try item.check(ifSequence: ifSequence)
    let tag = try tags.find(tagReference, in: command.workspace)
    guard try hasTag(item.id, tag.id, in: command.workspace) else { return Accepted(item.id, []) }
    return Accepted(item.id, [.tagUnassigned(.init(item: item.named, tag: tag.named))])
  }

  private func hasTag(_ item: MessageID, _ tag: MessageID, in workspace: String) throws -> Bool {
    try db.statement("SELECT 1 FROM item_tag WHERE workspace = ? AND item = ? AND tag = ?")
      .first(workspace, item, tag) { _ in true } ?? false
  }

  private func checkRoomForTag(_ item: Item, in workspace: String) throws {
    let count = try db.statement("SELECT count(*) FROM item_tag WHERE workspace = ? AND item = ?")
      .first(workspace, item.id) { $0.int(0) }
    guard let count, count >= Self.mostTags else { return }
    throw Problem.conflict(
      "too-many-tags", "The item \"\(item.title)\" has \(count) tags already, which is the most.",
      ["existing": JSON(item.id), "count": JSON(count)])
  }
}
