package import Messaging

/// What happens in the visitor log. One case a type; the bodies are in `VisitorLogEvent+Visitor.swift`, `+Visit`,
/// `+Badge`.
package enum VisitorLogEvent: DomainEvent {
  case visitorRegistered(VisitorRegistered)
  case visitorRenamed(VisitorRenamed)
  case visitorRemoved(VisitorRemoved)
  case visitRecorded(VisitRecorded)
  case visitEnded(VisitEnded)
  case visitEdited(VisitEdited)
  case visitRemoved(VisitRemoved)
  case visitCascadeDeleted(VisitCascadeDeleted)
  case badgeAdded(BadgeAdded)
  case badgeIssued(BadgeIssued)
  case badgeReturned(BadgeReturned)
  case badgeRemoved(BadgeRemoved)

  /// How every stored version is read. An older version of a type gets an upcaster here, for good.
  package static let contract = EventContract<VisitorLogEvent>(
    [
      .init(VisitorLogEvent.visitorRegistered), .init(VisitorLogEvent.visitorRenamed),
      .init(VisitorLogEvent.visitorRemoved), .init(VisitorLogEvent.visitRecorded),
      .init(VisitorLogEvent.visitEnded), .init(VisitorLogEvent.visitEdited), .init(VisitorLogEvent.visitRemoved),
      .init(VisitorLogEvent.visitCascadeDeleted), .init(VisitorLogEvent.badgeAdded),
      .init(VisitorLogEvent.badgeIssued), .init(VisitorLogEvent.badgeReturned),
      .init(VisitorLogEvent.badgeRemoved),
    ], upcasters: [])

  package init(type: String, data: JSON) throws(ContractError) { self = try Self.contract.read(type: type, data: data) }

  /// The body of whichever case this is.
  package var body: any EventBody {
    switch self {
    case .visitorRegistered(let body): body
    case .visitorRenamed(let body): body
    case .visitorRemoved(let body): body
    case .visitRecorded(let body): body
    case .visitEnded(let body): body
    case .visitEdited(let body): body
    case .visitRemoved(let body): body
    case .visitCascadeDeleted(let body): body
    case .badgeAdded(let body): body
    case .badgeIssued(let body): body
    case .badgeReturned(let body): body
    case .badgeRemoved(let body): body
    }
  }

  package var type: String { Swift.type(of: body).type }
  package var subject: String { body.subject }
  package var data: JSON { body.json }
}
