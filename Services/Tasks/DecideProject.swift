import Contracts
import Messaging
import SQLite
import ServiceKit

extension TasksDomain {
  func createProject(_ command: Command, now: Timestamp) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let name = fields.required("name", Fields.name, else: "")
    let place = fields.change("place", Fields.line).blankClears.applied(to: nil)
    let startsOn = fields.optional("startsOn", Fields.day)
    let endsOn = fields.optional("endsOn", Fields.day)
    let wanted = fields.optional("id", Fields.id)
    let createdAt = fields.optional("createdAt", Fields.time) ?? now
    if let startsOn, let endsOn, endsOn < startsOn { fields.fail("endsOn", "must not be before startsOn") }
    try fields.finish()

    let key = try freeProjectKey(name, in: command.workspace)
    let id = try ids.take(wanted, in: command.workspace)
    return Accepted(
      id,
      [
        .projectCreated(
          .init(
            id: id, name: name, key: key, place: place, createdAt: createdAt, startsOn: startsOn, endsOn: endsOn))
      ])
  }

  func editProject(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("project", Fields.reference, else: .name(""))
    let name = fields.changeRequired("name", Fields.name)
    let place = fields.change("place", Fields.line).blankClears
    let startsOn = fields.change("startsOn", Fields.day)
    let endsOn = fields.change("endsOn", Fields.day)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let project = try projects.find(reference, in: command.workspace)
    try project.check(ifSequence: ifSequence)
    let (newStart, newEnd) = (startsOn.applied(to: project.startsOn), endsOn.applied(to: project.endsOn))
    if let newStart, let newEnd, newEnd < newStart {
      throw command.data["endsOn"] == nil
        ? Problem.invalid("startsOn", "must not be after endsOn, \(newEnd)")
        : Problem.invalid("endsOn", "must not be before startsOn, \(newStart)")
    }
    let key = try name.map { try freeProjectKey($0, in: command.workspace, except: project.id) }
    let renamed = Changed(from: project.name, to: name ?? project.name)
    let edited = TasksEvent.ProjectEdited(
      id: project.id, key: renamed == nil ? nil : key, name: renamed,
      place: Changed(from: project.place, to: place.applied(to: project.place)),
      startsOn: Changed(from: project.startsOn, to: newStart), endsOn: Changed(from: project.endsOn, to: newEnd))
    return Accepted(project.id, edited.changesNothing ? [] : [.projectEdited(edited)])
  }

  /// Its items go first, or move out, one event each.
  func deleteProject(_ command: Command) throws -> Accepted<TasksEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("project", Fields.reference, else: .name(""))
    let fate = fields.optional("items", Fields.choice(["delete", "keep", "refuse"])) ?? "delete"
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let project = try projects.find(reference, in: command.workspace)
    try project.check(ifSequence: ifSequence)
    var events: [TasksEvent] = []
    switch fate {
    case "keep":
      events = try itemIDs(of: project.id, in: command.workspace).map { id in
        .itemMoved(.init(id: id, project: Changed(before: project.named, after: nil)))
      }
    case "refuse":
      let count = try itemIDs(of: project.id, in: command.workspace).count
      guard count == 0 else {
        throw Problem.conflict(
          "project-not-empty", "The project \"\(project.name)\" still has \(count) \(count == 1 ? "item" : "items").",
          ["existing": JSON(project.id), "count": JSON(count)])
      }
    default:
      events = try itemStates(.project(project.id), in: command.workspace).map { .itemCascadeDeleted(.init(last: $0)) }
    }
    let deleted = TasksEvent.ProjectDeleted(
      last: project.state, itemsDeleted: fate == "keep" ? 0 : events.count, itemsKept: fate == "keep" ? events.count : 0
    )
    return Accepted(project.id, events + [.projectDeleted(deleted)])
  }

  /// A project's name is unique in its workspace, whatever its letter case; `none` and `any` are what lists take in its place.
  private func freeProjectKey(_ name: String, in workspace: String, except: MessageID? = nil) throws -> String {
    try projects.freeKey(
      of: name, in: workspace, except: except, code: "project-name-taken", reserved: ["none", "any"])
  }

  private func itemIDs(of project: MessageID, in workspace: String) throws -> [MessageID] {
    try db.statement("SELECT id FROM item WHERE workspace = ? AND project = ? ORDER BY created")
      .map(workspace, project) { try $0.id(0) }
  }
}

extension TasksEvent.ProjectEdited {
  fileprivate var changesNothing: Bool { name == nil && place == nil && startsOn == nil && endsOn == nil }
}
