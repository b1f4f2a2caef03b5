import Contracts
import Messaging
import Testing

struct TasksEventTests {
  static let id = MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
  static let other = Named(id: MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002), name: "House \"A\"")
  static let named = Named(id: id, name: "Buy milk")
  static let time = Timestamp(milliseconds: 1_780_000_000_123)
  static let day = Day("2026-05-25")

  static let item = TasksEvent.ItemState(
    id: id, title: "Buy milk", note: "2 l\n", createdAt: time, completedAt: nil, dueOn: day, project: other,
    tags: [other, named])
  static let project = TasksEvent.ProjectState(
    id: id, name: "House", place: nil, createdAt: time, startsOn: day, endsOn: nil)

  static let events: [TasksEvent] = [
    .projectCreated(
      .init(id: id, name: "House", key: "house", place: "Home", createdAt: time, startsOn: day, endsOn: nil)),
    .projectEdited(
      .init(
        id: id, key: "b", name: .init(before: "A", after: "B"), place: .init(before: "x", after: nil), startsOn: nil,
        endsOn: .init(before: nil, after: day))),
    .projectEdited(
      .init(id: id, key: nil, name: nil, place: nil, startsOn: nil, endsOn: .init(before: day, after: nil))),
    .projectDeleted(.init(last: project, itemsDeleted: 3, itemsKept: 0)),
    .itemAdded(
      .init(
        id: id, title: "Buy milk", key: "buy milk", note: nil, createdAt: time, completedAt: time, dueOn: nil,
        project: other)),
    .itemEdited(
      .init(
        id: id, key: "b", title: .init(before: "A", after: "B"), note: .init(before: nil, after: "n"), dueOn: nil)),
    .itemCompleted(.init(id: id, completedAt: time)),
    .itemReopened(.init(id: id, completedAt: time)),
    .itemMoved(.init(id: id, project: .init(before: nil, after: other))),
    .itemDeleted(.init(last: item)),
    .itemCascadeDeleted(.init(last: item)),
    .tagCreated(.init(id: id, name: "Café", key: "café")),
    .tagRenamed(.init(id: id, key: "b", name: .init(before: "a", after: "B"))),
    .tagAssigned(.init(item: named, tag: other)),
    .tagUnassigned(.init(item: named, tag: other)),
    .tagDeleted(.init(last: named, items: 2)),
  ]

  @Test(arguments: events) func `an event is read back as it was written`(event: TasksEvent) throws {
    let data = try JSON(parsing: event.data.bytes)
    #expect(try TasksEvent(type: event.type, data: data) == event)
    #expect(data["id"]?.string == Self.id.description)
    #expect(event.subject.hasSuffix("/\(Self.id)"))
  }

  @Test func `every type of the contract has an example here`() {
    #expect(Set(Self.events.map(\.type)) == Set(TasksEvent.contract.types))
  }

  @Test func `an edit holds just the fields that changed, before and after`() {
    #expect(
      Self.events[2].data.text
        == #"{"id":"\#(Self.id)","key":null,"before":{"endsOn":"2026-05-25"},"after":{"endsOn":null}}"#)
  }

  @Test(arguments: [
    ("tasks.item.added.v2", ContractError.newerVersion("tasks.item.added.v2")),
    ("tasks.item.sung.v1", .unknownType("tasks.item.sung.v1")),
    ("tasks.item.added", .unknownType("tasks.item.added")),
    ("library.book.added.v1", .unknownType("library.book.added.v1")),
    (
      "tasks.item.completed.v1",
      .unreadable(type: "tasks.item.completed.v1", reason: "its \"id\" is missing or of the wrong kind")
    ),
  ])
  func `what cannot be read says why`(type: String, error: ContractError) {
    #expect(throws: error) { try TasksEvent(type: type, data: [:]) }
  }
}
