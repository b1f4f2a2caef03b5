import Contracts

/// The events of the visitor log, each to the rows that it writes.
struct VisitorLogFold {
  private let visitors: VisitorRows
  private let visits: VisitRows
  private let badges: BadgeRows

  init(_ context: FoldContext) throws {
    visitors = try VisitorRows(context)
    visits = try VisitRows(context)
    badges = BadgeRows(context: context)
  }

  func fold(_ event: VisitorLogEvent, at place: FoldPlace) throws {
    switch event {
    case .visitorRegistered(let event): try visitors.registered(event, at: place)
    case .visitorRenamed(let event): try visitors.renamed(event, at: place)
    case .visitorRemoved(let event): try visitors.removed(event.id, at: place)
    case .visitRecorded(let event): try visits.recorded(event, at: place)
    case .visitEnded(let event): try visits.ended(event, at: place)
    case .visitEdited(let event): try visits.edited(event, at: place)
    case .visitRemoved(let event): try visits.removed(event.id, at: place)
    case .visitCascadeDeleted(let event): try visits.removed(event.id, at: place)
    case .badgeAdded(let event): try badges.added(event, at: place)
    case .badgeIssued(let event): try badges.issued(event.badge.id, to: event.visitor.id, at: place)
    case .badgeReturned(let event): try badges.issued(event.badge.id, to: nil, at: place)
    case .badgeRemoved(let event): try badges.removed(event.id, at: place)
    }
  }
}
