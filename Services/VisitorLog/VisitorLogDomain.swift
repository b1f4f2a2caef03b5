package import Contracts
package import Messaging
package import SQLite
package import ServiceKit

/// The rules of the visitor log: visitors come and go, and may wear a badge. What is refused is in `Decide….swift`,
/// what is written in `Evolve….swift`, the tables in `Schema.swift`.
package struct VisitorLogDomain: Domain {
  package static let service = "visitorlog"

  let db: Connection
  let visitors: EntityFinder<Visitor>
  let visits: EntityFinder<Visit>
  let badges: EntityFinder<Badge>
  let ids: EntityIDs
  private let visitorRows: VisitorRows
  private let visitRows: VisitRows
  private let badgeRows: BadgeRows

  package init(_ db: Connection) throws {
    self.db = db
    visitors = try Visitor.finder(db)
    visits = try Visit.finder(db)
    badges = try Badge.finder(db)
    ids = try EntityIDs(db, tables: ["visitor", "visit", "badge"])
    visitorRows = try VisitorRows(db)
    visitRows = try VisitRows(db)
    badgeRows = BadgeRows(db: db)
  }

  package func decide(_ command: Command, now: Timestamp) throws -> Accepted<VisitorLogEvent> {
    switch command.type {
    case "visitorlog.visitor.register.v1": try registerVisitor(command, now: now)
    case "visitorlog.visitor.rename.v1": try renameVisitor(command)
    case "visitorlog.visitor.remove.v1": try removeVisitor(command)
    case "visitorlog.visit.record.v1": try recordVisit(command, now: now)
    case "visitorlog.visit.end.v1": try endVisit(command, now: now)
    case "visitorlog.visit.edit.v1": try editVisit(command, now: now)
    case "visitorlog.visit.remove.v1": try removeVisit(command)
    case "visitorlog.badge.add.v1": try addBadge(command)
    case "visitorlog.badge.issue.v1": try issueBadge(command)
    case "visitorlog.badge.return.v1": try returnBadge(command)
    case "visitorlog.badge.remove.v1": try removeBadge(command)
    default: throw CommandCatalogue.unknownType(command.type)
    }
  }

  package func evolve(_ event: VisitorLogEvent, at place: EventPlace) throws {
    switch event {
    case .visitorRegistered(let event): try visitorRows.registered(event, at: place)
    case .visitorRenamed(let event): try visitorRows.renamed(event, at: place)
    case .visitorRemoved(let event): try visitorRows.removed(event, at: place)
    case .visitRecorded(let event): try visitRows.recorded(event, at: place)
    case .visitEnded(let event): try visitRows.ended(event, at: place)
    case .visitEdited(let event): try visitRows.edited(event, at: place)
    case .visitRemoved(let event): try visitRows.deleted(event.id, at: place)
    case .visitCascadeDeleted(let event): try visitRows.deleted(event.id, at: place)
    case .badgeAdded(let event): try badgeRows.added(event, at: place)
    case .badgeIssued(let event): try badgeRows.held(event.id, by: event.visitor.id, at: place)
    case .badgeReturned(let event): try badgeRows.held(event.id, by: nil, at: place)
    case .badgeRemoved(let event): try badgeRows.removed(event, at: place)
    }
  }
}
