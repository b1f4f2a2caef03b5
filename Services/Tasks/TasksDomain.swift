package import Contracts
package import Messaging
package import SQLite
package import ServiceKit

/// The rules of the task list: projects hold items, tags mark them. What is refused is in `Decide….swift`, what is
/// written in `Evolve….swift`, the tables in `Schema.swift`.
package struct TasksDomain: Domain {
  package static let service = "tasks"

  let db: Connection
  let projects: EntityFinder<Project>
  let items: EntityFinder<Item>
  let tags: EntityFinder<Tag>
  let ids: EntityIDs
  private let projectRows: ProjectRows
  private let itemRows: ItemRows
  private let tagRows: TagRows

  package init(_ db: Connection) throws {
    self.db = db
    projects = try Project.finder(db)
    items = try Item.finder(db)
    tags = try Tag.finder(db)
    ids = try EntityIDs(db, tables: ["project", "item", "tag"])
    projectRows = ProjectRows(db: db)
    itemRows = try ItemRows(db)
    tagRows = try TagRows(db)
  }

  package func decide(_ command: Command, now: Timestamp) throws -> Accepted<TasksEvent> {
    switch command.type {
    case "tasks.item.add.v1": try addItem(command, now: now)
    case "tasks.item.edit.v1": try editItem(command)
    case "tasks.item.complete.v1": try completeItem(command, now: now)
    case "tasks.item.reopen.v1": try reopenItem(command)
    case "tasks.item.move.v1": try moveItem(command)
    case "tasks.item.delete.v1": try deleteItem(command)
    case "tasks.item.delete-completed.v1": try deleteCompletedItems(command)
    case "tasks.tag.create.v1": try createTag(command)
    case "tasks.tag.rename.v1": try renameTag(command)
    case "tasks.tag.assign.v1": try assignTag(command)
    case "tasks.tag.unassign.v1": try unassignTag(command)
    case "tasks.tag.delete.v1": try deleteTag(command)
    case "tasks.project.create.v1": try createProject(command, now: now)
    case "tasks.project.edit.v1": try editProject(command)
    case "tasks.project.delete.v1": try deleteProject(command)
    default: throw CommandCatalogue.unknownType(command.type)
    }
  }

  package func evolve(_ event: TasksEvent, at place: EventPlace) throws {
    switch event {
    case .itemAdded(let event): try itemRows.added(event, at: place)
    case .itemEdited(let event): try itemRows.edited(event, at: place)
    case .itemCompleted(let event): try itemRows.completed(event.id, event.completedAt, at: place)
    case .itemReopened(let event): try itemRows.completed(event.id, nil, at: place)
    case .itemMoved(let event): try itemRows.moved(event, at: place)
    case .itemDeleted(let event): try itemRows.deleted(event.id, at: place)
    case .itemCascadeDeleted(let event): try itemRows.deleted(event.id, at: place)
    case .tagCreated(let event): try tagRows.created(event, at: place)
    case .tagRenamed(let event): try tagRows.renamed(event, at: place)
    case .tagAssigned(let event): try tagRows.assigned(event, at: place)
    case .tagUnassigned(let event): try tagRows.unassigned(event, at: place)
    case .tagDeleted(let event): try tagRows.deleted(event, at: place)
    case .projectCreated(let event): try projectRows.created(event, at: place)
    case .projectEdited(let event): try projectRows.edited(event, at: place)
    case .projectDeleted(let event): try projectRows.deleted(event, at: place)
    }
  }
}
