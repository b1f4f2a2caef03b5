import Contracts
import Messaging
import SQLite
import ServiceKit

extension TasksDomain {
  func addItem(_ command: Command, now: Timestamp) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let title = fields.required("title", Fields.name, else: "")
    let note = fields.change("note", Fields.note).blankClears.applied(to: nil)
    let projectReference = fields.optional("project", Fields.reference)
    let tagNames = fields.optional("tags", Fields.list(Fields.name, limit: Self.mostTags)) ?? []
    let dueOn = fields.optional("dueOn", Fields.day)
    let completedAt = fields.optional("completedAt", Fields.time)
    let wanted = fields.optional("id", Fields.id)
    let createdAt = fields.optional("createdAt", Fields.time) ?? now
    try fields.finish()

    let workspace = command.workspace
    let project = try projectReference.map { try projects.find($0, in: workspace).named }
    let id = try ids.take(wanted, in: workspace)
    var (events, tagged) = try tagsNamed(tagNames, for: Named(id: id, name: title), in: workspace)
    events.append(
      .itemAdded(
        .init(
          id: id, title: title, key: Text.uniqueKey(title), note: note, createdAt: createdAt,
          completedAt: completedAt, dueOn: dueOn, project: project)))
    events.append(contentsOf: tagged)
    return Accepted(id, events)
  }

  /// The creations of those tags that do not exist, and the assignments of all; a name given twice counts once.
  private func tagsNamed(
    _ names: [String], for item: Named, in workspace: String
  ) throws -> (created: [TasksEvent], assigned: [TasksEvent]) {
    var (created, assigned): ([TasksEvent], [TasksEvent]) = ([], [])
    var seen: Set<String> = []
    for name in names where seen.insert(Text.uniqueKey(name)).inserted {
      let tag: Named
      if let existing = try tags.findIfAny(.name(name), in: workspace) {
        tag = existing.named
      } else {
        let new = try newTag(name, in: workspace)
        created.append(.tagCreated(new))
        tag = Named(id: new.id, name: new.name)
      }
      assigned.append(.tagAssigned(.init(item: item, tag: tag)))
    }
    return (created, assigned)
  }

  func editItem(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("item", Fields.reference, else: .name(""))
    let title = fields.changeRequired("title", Fields.name)
    let note = fields.change("note", Fields.note).blankClears
    let dueOn = fields.change("dueOn", Fields.day)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let item = try items.find(reference, in: command.workspace)
    try item.check(ifSequence: ifSequence)
    let renamed = Changed(from: item.title, to: title ?? item.title)
    let edited = TasksEvent.ItemEdited(
      id: item.id, key: (renamed?.after).map(Text.uniqueKey), title: renamed,
      note: Changed(from: item.note, to: note.applied(to: item.note)),
      dueOn: Changed(from: item.dueOn, to: dueOn.applied(to: item.dueOn)))
    return Accepted(item.id, edited.changesNothing ? [] : [.itemEdited(edited)])
  }

  func completeItem(_ command: Command, now: Timestamp) throws -> Accepted<TasksEvent> {
    let item = try onlyItem(command)
    guard item.completedAt == nil else { return Accepted(item.id, []) }
    return Accepted(item.id, [.itemCompleted(.init(id: item.id, completedAt: now))])
  }

  func reopenItem(_ command: Command) throws -> Accepted<TasksEvent> {
    let item = try onlyItem(command)
    guard let completedAt = item.completedAt else { return Accepted(item.id, []) }
    return Accepted(item.id, [.itemReopened(.init(id: item.id, completedAt: completedAt))])
  }

  func deleteItem(_ command: Command) throws -> Accepted<TasksEvent> {
    let item = try onlyItem(command)
    let events = try itemStates(.one(item.id), in: command.workspace).map { TasksEvent.itemDeleted(.init(last: $0)) }
    return Accepted(item.id, events)
  }

  /// The item of a command that has no other field.
  private func onlyItem(_ command: Command) throws -> Item {
    var fields = Fields(command.data)
    let reference = fields.required("item", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let item = try items.find(reference, in: command.workspace)
    try item.check(ifSequence: ifSequence)
    return item
  }

  func moveItem(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("item", Fields.reference, else: .name(""))
    let target = fields.change("project", Fields.reference)
    if command.data["project"] == nil { fields.fail("project", "is required; null for no project") }
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let item = try items.find(reference, in: command.workspace)
    try item.check(ifSequence: ifSequence)
    let project = try target.applied(to: nil).map { try projects.find($0, in: command.workspace).named }
    guard item.project?.id != project?.id else { return Accepted(item.id, []) }
    return Accepted(
      item.id, [.itemMoved(.init(id: item.id, project: Changed(before: item.project, after: project)))])
  }

  /// About no single item: the answer has no id.
  func deleteCompletedItems(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let scope: ItemScope
    if fields.raw("project") == "any" {
      try fields.finish()
      scope = .allCompleted
    } else {
      let target = fields.change("project", Fields.reference)
      if command.data["project"] == nil {
        fields.fail("project", "is required: a project, null for items in none, or \"any\"")
      }
      try fields.finish()
      let project = try target.applied(to: nil).map { try projects.find($0, in: command.workspace) }
      scope = project.map { .completed(in: $0.id) } ?? .completedInNone
    }
    let events = try itemStates(scope, in: command.workspace).map { TasksEvent.itemDeleted(.init(last: $0)) }
    return Accepted(nil, events)
  }
}

extension TasksEvent.ItemEdited {
  fileprivate var changesNothing: Bool { title == nil && note == nil && dueOn == nil }
}
