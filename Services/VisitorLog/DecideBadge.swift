import Contracts
import Messaging
import SQLite
import ServiceKit

extension VisitorLogDomain {
  func addBadge(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let number = fields.required("number", Fields.name, else: "")
    let wanted = fields.optional("id", Fields.id)
    try fields.finish()

    let key = try badges.freeKey(of: number, in: command.workspace, code: "badge-number-taken")
    let id = try ids.take(wanted, in: command.workspace)
    return Accepted(id, [.badgeAdded(.init(id: id, number: number, key: key))])
  }

  /// A badge has at most one holder and a visitor at most one badge; with `transfer` what is in the way comes back
  /// first.
  func issueBadge(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let visitorReference = fields.required("visitor", Fields.reference, else: .name(""))
    let badgeReference = fields.required("badge", Fields.reference, else: .name(""))
    let transfer = fields.optional("transfer", Fields.bool) ?? false
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let visitor = try visitors.find(visitorReference, in: command.workspace)
    let badge = try badges.find(badgeReference, in: command.workspace)
    try badge.check(ifSequence: ifSequence)
    guard badge.holder?.id != visitor.id else { return Accepted(badge.id, []) }
    var events: [VisitorLogEvent] = []
    if let holder = badge.holder {
      guard transfer else {
        throw Problem.conflict(
          "badge-taken", "\(holder.name) has the badge \"\(badge.name)\"; return it first, or transfer it.",
          ["existing": JSON(holder.id), "holder": holder.json])
      }
      events.append(.badgeReturned(.init(badge: badge.named, visitor: holder)))
    }
    if let other = visitor.badge {
      guard transfer else {
        throw Problem.conflict(
          "visitor-has-badge", "\(visitor.fullName) has the badge \"\(other.name)\" already; return it first.",
          ["existing": JSON(other.id), "badge": other.json])
      }
      events.append(.badgeReturned(.init(badge: other, visitor: visitor.named)))
    }
    return Accepted(badge.id, events + [.badgeIssued(.init(badge: badge.named, visitor: visitor.named))])
  }

  func returnBadge(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let (named, reference) = fields.oneReference("badge", Fields.reference, or: "visitor")
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let badge =
      named == "badge"
      ? try badges.find(reference, in: command.workspace)
      : try badge(of: visitors.find(reference, in: command.workspace), in: command.workspace)
    try badge.check(ifSequence: ifSequence)
    guard let holder = badge.holder else {
      throw Problem.conflict("no-badge", "Nobody has the badge \"\(badge.name)\".", ["existing": JSON(badge.id)])
    }
    return Accepted(badge.id, [.badgeReturned(.init(badge: badge.named, visitor: holder))])
  }

  private func badge(of visitor: Visitor, in workspace: String) throws -> Badge {
    guard let held = visitor.badge else {
      throw Problem.conflict("no-badge", "\(visitor.fullName) has no badge.", ["existing": JSON(visitor.id)])
    }
    return try badges.find(.id(held.id), in: workspace)
  }

  func removeBadge(_ command: Command) throws -> Accepted<VisitorLogEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("badge", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let badge = try badges.find(reference, in: command.workspace)
    try badge.check(ifSequence: ifSequence)
    if let holder = badge.holder {
      throw Problem.conflict(
        "badge-issued", "\(holder.name) has the badge \"\(badge.name)\"; return it first.",
        ["existing": JSON(holder.id), "holder": holder.json])
    }
    return Accepted(badge.id, [.badgeRemoved(.init(last: .init(id: badge.id, number: badge.name)))])
  }
}
