package import Messaging

extension VisitorLogEvent {
  /// A badge came to be; nobody has it yet.
  package struct BadgeAdded: EventBody {
    package static let type = "visitorlog.badge.added.v1"
    package let id: MessageID
    package let number: String
    /// The unique key of the number, as it was decided with.
    package let key: String

    package init(id: MessageID, number: String, key: String) {
      self.id = id
      self.number = number
      self.key = key
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      number = try reader.get("number")
      key = try reader.get("key")
    }

    package var subject: String { "badge/\(id)" }
    package var json: JSON { ["id": id.json, "number": number.json, "key": key.json] }
  }

  /// A visitor got a badge. It happened to the badge, whose name is its number.
  package struct BadgeIssued: EventBody {
    package static let type = "visitorlog.badge.issued.v1"
    package let badge: Named
    package let visitor: Named
    package var id: MessageID { badge.id }

    package init(badge: Named, visitor: Named) {
      self.badge = badge
      self.visitor = visitor
    }

    package init(_ reader: EventReader) throws(ContractError) {
      badge = try reader.get("badge")
      visitor = try reader.get("visitor")
    }

    package var subject: String { "badge/\(badge.id)" }
    package var json: JSON { ["id": badge.id.json, "badge": badge.json, "visitor": visitor.json] }
  }

  /// A visitor gave a badge back. It happened to the badge, whose name is its number.
  package struct BadgeReturned: EventBody {
    package static let type = "visitorlog.badge.returned.v1"
    package let badge: Named
    package let visitor: Named
    package var id: MessageID { badge.id }

    package init(badge: Named, visitor: Named) {
      self.badge = badge
      self.visitor = visitor
    }

    package init(_ reader: EventReader) throws(ContractError) {
      badge = try reader.get("badge")
      visitor = try reader.get("visitor")
    }

    package var subject: String { "badge/\(badge.id)" }
    package var json: JSON { ["id": badge.id.json, "badge": badge.json, "visitor": visitor.json] }
  }

  /// A badge is gone; nobody had it.
  package struct BadgeRemoved: EventBody {
    package static let type = "visitorlog.badge.removed.v1"
    package let last: BadgeState
    package var id: MessageID { last.id }

    package init(last: BadgeState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "badge/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// All that a badge was when it went.
  package struct BadgeState: EventValue {
    package let id: MessageID
    package let number: String

    package init(id: MessageID, number: String) {
      self.id = id
      self.number = number
    }

    package var json: JSON { ["id": id.json, "number": number.json] }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let number = String(in: json, "number") else { return nil }
      self.init(id: id, number: number)
    }
  }
}
