import Contracts
import Messaging
import SQLite
import ServiceKit

extension VisitorLogDomain {
  func registerVisitor(_ command: Command, now: Timestamp) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let firstName = fields.optional("firstName", Fields.line) ?? ""
    let lastName = fields.optional("lastName", Fields.line) ?? ""
    let wanted = fields.optional("id", Fields.id)
    let registeredAt = fields.optional("registeredAt", Fields.time) ?? now
    if fields.errors.isEmpty { Self.refuseBothBlank(firstName, lastName, &fields) }
    try fields.finish()

    let id = try ids.take(wanted, in: command.workspace)
    let registered = VisitorLogEvent.VisitorRegistered(
      id: id, firstName: firstName, lastName: lastName, keys: Visitor.keys(first: firstName, last: lastName),
      registeredAt: registeredAt)
    return Accepted(id, [.visitorRegistered(registered)])
  }

  func renameVisitor(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("visitor", Fields.reference, else: .name(""))
    let newFirst = fields.change("firstName", Fields.line)
    let newLast = fields.change("lastName", Fields.line)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let visitor = try visitors.find(reference, in: command.workspace)
    try visitor.check(ifSequence: ifSequence)
    let firstName = newFirst.applied(to: visitor.firstName) ?? ""
    let lastName = newLast.applied(to: visitor.lastName) ?? ""
    Self.refuseBothBlank(firstName, lastName, &fields)
    try fields.finish()
    let renamed = VisitorLogEvent.VisitorRenamed(
      id: visitor.id, keys: Visitor.keys(first: firstName, last: lastName),
      firstName: Changed(from: visitor.firstName, to: firstName),
      lastName: Changed(from: visitor.lastName, to: lastName))
    return Accepted(
      visitor.id, renamed.firstName == nil && renamed.lastName == nil ? [] : [.visitorRenamed(renamed)])
  }

  /// The badge comes back first and the visits go, one event each.
  func removeVisitor(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("visitor", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let visitor = try visitors.find(reference, in: command.workspace)
    try visitor.check(ifSequence: ifSequence)
    var events: [VisitorLogEvent] = []
    if let badge = visitor.badge { events.append(.badgeReturned(.init(badge: badge, visitor: visitor.named))) }
    let visits = try allVisits(of: visitor.id, in: command.workspace)
    events += visits.map { .visitCascadeDeleted(.init(last: $0.state)) }
    events.append(
      .visitorRemoved(.init(last: visitor.state, visits: visits.count, badges: visitor.badge == nil ? 0 : 1)))
    return Accepted(visitor.id, events)
  }

  private static func refuseBothBlank(_ firstName: String, _ lastName: String, _ fields: inout Fields) {
    guard firstName.isEmpty, lastName.isEmpty else { return }
    fields.fail("firstName", "must not be blank where the last name is blank too")
    fields.fail("lastName", "must not be blank where the first name is blank too")
  }
}
