import Contracts
import Messaging
import Testing

struct VisitorLogEventTests {
  static let id = MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
  static let ada = Named(id: MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002), name: "Lovelace, Ada")
  static let badge = Named(id: id, name: "B-1")
  static let time = Timestamp(milliseconds: 1_780_000_000_123)
  static let later = Timestamp(milliseconds: 1_780_000_360_000)

  static let visitor = VisitorLogEvent.VisitorState(id: id, firstName: "", lastName: "Lovelace", registeredAt: time)
  static let visit = VisitorLogEvent.VisitState(id: id, visitor: ada, arrivedAt: time, departedAt: later)
  static let open = VisitorLogEvent.VisitState(id: id, visitor: ada, arrivedAt: time, departedAt: nil)

  static let events: [VisitorLogEvent] = [
    .visitorRegistered(
      .init(
        id: id, firstName: "Ada", lastName: "Lovelace",
        keys: ["ada lovelace", "lovelace ada", "lovelace, ada", "lovelace"], registeredAt: time)),
    .visitorRenamed(
      .init(
        id: id, keys: ["ada"], firstName: .init(before: "", after: "Ada"),
        lastName: .init(before: "Byron", after: ""))),
    .visitorRenamed(
      .init(id: id, keys: ["ada king"], firstName: nil, lastName: .init(before: "Byron", after: "King"))),
    .visitorRemoved(.init(last: visitor, visits: 3, badges: 1)),
    .visitRecorded(.init(id: id, visitor: ada, arrivedAt: time)),
    .visitEnded(.init(id: id, visitor: ada, departedAt: later)),
    .visitEdited(
      .init(
        id: id, visitor: ada, arrivedAt: .init(before: time, after: later),
        departedAt: .init(before: later, after: nil))),
    .visitEdited(.init(id: id, visitor: ada, arrivedAt: nil, departedAt: .init(before: nil, after: later))),
    .visitRemoved(.init(last: visit)),
    .visitCascadeDeleted(.init(last: open)),
    .badgeAdded(.init(id: id, number: "B-1", key: "b-1")),
    .badgeIssued(.init(badge: badge, visitor: ada)),
    .badgeReturned(.init(badge: badge, visitor: ada)),
    .badgeRemoved(.init(last: .init(id: id, number: "B-1"))),
  ]

  @Test(arguments: events) func `an event is read back as it was written`(event: VisitorLogEvent) throws {
    let data = try JSON(parsing: event.data.bytes)
    #expect(try VisitorLogEvent(type: event.type, data: data) == event)
    #expect(data["id"]?.string == Self.id.description)
    #expect(event.subject.hasSuffix("/\(Self.id)"))
  }

  @Test func `every type of the contract has an example here`() {
    #expect(Set(Self.events.map(\.type)) == Set(VisitorLogEvent.contract.types))
  }

  @Test func `a visit's ending holds the departure, before and after`() {
    #expect(
      Self.events[5].data.text
        == #"{"id":"\#(Self.id)","visitor":{"id":"\#(Self.ada.id)","name":"Lovelace, Ada"},"#
        + #""before":{"departedAt":null},"after":{"departedAt":"\#(Self.later)"}}"#)
  }
}
