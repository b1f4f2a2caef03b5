import Contracts

/// The events of the task list, each to the rows that it writes.
struct TasksFold {
  private let projects: ProjectRows
  private let items: ItemRows
  private let tags: NamedRows

  init(_ context: FoldContext) throws {
    projects = ProjectRows(context)
    tags = try NamedRows(.tag, context)
    items = try ItemRows(context)
  }

  func fold(_ event: TasksEvent, at place: FoldPlace) throws {
    switch event {
    case .projectCreated(let event): try projects.created(event, at: place)
    case .projectEdited(let event): try projects.edited(event, at: place)
    case .projectDeleted(let event): try projects.deleted(event.id, at: place)
    case .itemAdded(let event): try items.added(event, at: place)
    case .itemEdited(let event): try items.edited(event, at: place)
    case .itemCompleted(let event): try items.completed(event.id, event.completedAt, at: place)
    case .itemReopened(let event): try items.completed(event.id, nil, at: place)
    case .itemMoved(let event): try items.moved(event.id, to: event.project.after?.id, at: place)
    case .itemDeleted(let event): try items.deleted(event.id, at: place)
    case .itemCascadeDeleted(let event): try items.deleted(event.id, at: place)
    case .tagCreated(let event): try tags.add(event.id, name: event.name, key: event.key, at: place)
    case .tagRenamed(let event): try tags.rename(event.id, name: event.name.after, key: event.key, at: place)
    case .tagAssigned(let event): try items.assigned(event.tag.id, to: event.item.id, at: place)
    case .tagUnassigned(let event): try items.unassigned(event.tag.id, from: event.item.id, at: place)
    case .tagDeleted(let event): try tags.delete(event.id, at: place)
    }
  }
}
