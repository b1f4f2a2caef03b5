import Contracts
import Messaging
import SQLite
import ServiceKit

extension VisitorLogDomain {
  /// How far ahead an arrival may be, in milliseconds: a day, so that no clock or zone of an honest client is refused.
  static let furthestAhead: Int64 = 86_400_000

  func recordVisit(_ command: Command, now: Timestamp) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("visitor", Fields.reference, else: .name(""))
    let arrivedAt = fields.optional("arrivedAt", Fields.time) ?? now
    let again = fields.optional("again", Fields.bool) ?? false
    let wanted = fields.optional("id", Fields.id)
    Self.refuseFarAhead(arrivedAt, now, &fields)
    try fields.finish()

    let visitor = try visitors.find(reference, in: command.workspace)
    if !again, let open = try openVisits(of: visitor.id, in: command.workspace).first {
      throw Problem.conflict(
        "already-in", "\(visitor.fullName) is in already, since \(open.arrivedAt).", ["existing": JSON(open.id)])
    }
    let id = try ids.take(wanted, in: command.workspace)
    return Accepted(id, [.visitRecorded(.init(id: id, visitor: visitor.named, arrivedAt: arrivedAt))])
  }

  func endVisit(_ command: Command, now: Timestamp) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let (named, reference) = fields.oneReference("visit", Self.visitReference, or: "visitor")
    let departedAt = fields.optional("departedAt", Fields.time) ?? now
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let visit =
      named == "visit"
      ? try visits.find(reference, in: command.workspace)
      : try openVisit(of: visitors.find(reference, in: command.workspace), in: command.workspace)
    try visit.check(ifSequence: ifSequence)
    guard visit.departedAt == nil else { throw Self.alreadyEnded(visit) }
    guard departedAt >= visit.arrivedAt else {
      throw Problem.invalid("departedAt", "must not be before the arrival, \(visit.arrivedAt)")
    }
    return Accepted(visit.id, [.visitEnded(.init(id: visit.id, visitor: visit.visitor, departedAt: departedAt))])
  }

  func editVisit(_ command: Command, now: Timestamp) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("visit", Self.visitReference, else: .name(""))
    let newArrival = fields.changeRequired("arrivedAt", Fields.time)
    let newDeparture = fields.change("departedAt", Fields.time)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    if let newArrival { Self.refuseFarAhead(newArrival, now, &fields) }
    try fields.finish()

    let visit = try visits.find(reference, in: command.workspace)
    try visit.check(ifSequence: ifSequence)
    let arrivedAt = newArrival ?? visit.arrivedAt
    let departedAt = newDeparture.applied(to: visit.departedAt)
    if let departedAt, departedAt < arrivedAt {
      throw command.data["departedAt"] == nil
        ? Problem.invalid("arrivedAt", "must not be after the departure, \(departedAt)")
        : Problem.invalid("departedAt", "must not be before the arrival, \(arrivedAt)")
    }
    let edited = VisitorLogEvent.VisitEdited(
      id: visit.id, visitor: visit.visitor, arrivedAt: Changed(from: visit.arrivedAt, to: arrivedAt),
      departedAt: Changed(from: visit.departedAt, to: departedAt))
    return Accepted(visit.id, edited.arrivedAt == nil && edited.departedAt == nil ? [] : [.visitEdited(edited)])
  }

  func removeVisit(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("visit", Self.visitReference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let visit = try visits.find(reference, in: command.workspace)
    try visit.check(ifSequence: ifSequence)
    return Accepted(visit.id, [.visitRemoved(.init(last: visit.state))])
  }

  /// The one open visit of a visitor. Where there is none their last one has ended already; where there are several
  /// the command has to say which.
  private func openVisit(of visitor: Visitor, in workspace: String) throws -> Visit {
    let open = try openVisits(of: visitor.id, in: workspace)
    guard let visit = open.first else {
      if let last = try lastVisit(of: visitor.id, in: workspace) { throw Self.alreadyEnded(last) }
      throw Problem(code: "not-found", status: 404, detail: "There is no visit of \(visitor.fullName).")
    }
    guard open.count == 1 else {
      throw Problem.ambiguous(
        "\(visitor.fullName) has \(open.count) open visits; say which by its id.", count: open.count, open)
    }
    return visit
  }

  private static func alreadyEnded(_ visit: Visit) -> Problem {
    .conflict(
      "visit-already-ended",
      "The visit of \(visit.visitor.name) has ended already\(visit.departedAt.map { ", \($0)" } ?? "").",
      ["existing": JSON(visit.id)])
  }

  /// A visit has no name: only its id refers to it.
  private static func visitReference(_ json: JSON) -> Result<Reference, Fields.Wrong> {
    Fields.id(json).map(Reference.id)
  }

  private static func refuseFarAhead(_ arrivedAt: Timestamp, _ now: Timestamp, _ fields: inout Fields) {
    guard arrivedAt.milliseconds > now.milliseconds + furthestAhead else { return }
    fields.fail("arrivedAt", "must not be more than a day in the future")
  }
}
