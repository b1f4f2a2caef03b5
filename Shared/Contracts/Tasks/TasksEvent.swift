package import Messaging

/// What happens in the task list. One case a type; the bodies are in `TasksEvent+Project.swift`, `+Item`, `+Tag`.
package enum TasksEvent: DomainEvent {
  case projectCreated(ProjectCreated)
  case projectEdited(ProjectEdited)
  case projectDeleted(ProjectDeleted)
  case itemAdded(ItemAdded)
  case itemEdited(ItemEdited)
  case itemCompleted(ItemCompleted)
  case itemReopened(ItemReopened)
  case itemMoved(ItemMoved)
  case itemDeleted(ItemDeleted)
  case itemCascadeDeleted(ItemCascadeDeleted)
  case tagCreated(TagCreated)
  case tagRenamed(TagRenamed)
  case tagAssigned(TagAssigned)
  case tagUnassigned(TagUnassigned)
  case tagDeleted(TagDeleted)

  /// How every stored version is read. An older version of a type gets an upcaster here, for good.
  package static let contract = EventContract<TasksEvent>(
    [
      .init(TasksEvent.projectCreated), .init(TasksEvent.projectEdited), .init(TasksEvent.projectDeleted),
      .init(TasksEvent.itemAdded), .init(TasksEvent.itemEdited), .init(TasksEvent.itemCompleted),
      .init(TasksEvent.itemReopened), .init(TasksEvent.itemMoved), .init(TasksEvent.itemDeleted),
      .init(TasksEvent.itemCascadeDeleted), .init(TasksEvent.tagCreated), .init(TasksEvent.tagRenamed),
      .init(TasksEvent.tagAssigned), .init(TasksEvent.tagUnassigned), .init(TasksEvent.tagDeleted),
    ], upcasters: [])

  package init(type: String, data: JSON) throws(ContractError) { self = try Self.contract.read(type: type, data: data) }

  /// The body of whichever case this is.
  package var body: any EventBody {
    switch self {
    case .projectCreated(let body): body
    case .projectEdited(let body): body
    case .projectDeleted(let body): body
    case .itemAdded(let body): body
    case .itemEdited(let body): body
    case .itemCompleted(let body): body
    case .itemReopened(let body): body
    case .itemMoved(let body): body
    case .itemDeleted(let body): body
    case .itemCascadeDeleted(let body): body
    case .tagCreated(let body): body
    case .tagRenamed(let body): body
    case .tagAssigned(let body): body
    case .tagUnassigned(let body): body
    case .tagDeleted(let body): body
    }
  }

  package var type: String { Swift.type(of: body).type }
  package var subject: String { body.subject }
  package var data: JSON { body.json }
}
