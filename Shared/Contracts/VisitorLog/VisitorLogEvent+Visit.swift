package import Messaging

extension VisitorLogEvent {
  /// A visitor came in. The visitor is named as lists show them: `Lovelace, Ada`.
  package struct VisitRecorded: EventBody {
    package static let type = "visitorlog.visit.recorded.v1"
    package let id: MessageID
    package let visitor: Named
    package let arrivedAt: Timestamp

    package init(id: MessageID, visitor: Named, arrivedAt: Timestamp) {
      self.id = id
      self.visitor = visitor
      self.arrivedAt = arrivedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      visitor = try reader.get("visitor")
      arrivedAt = try reader.get("arrivedAt")
    }

    package var subject: String { "visit/\(id)" }
    package var json: JSON {
      ["id": id.json, "visitor": visitor.json, "arrivedAt": arrivedAt.json, "departedAt": nil]
    }
  }

  /// A visitor went out. `before` and `after` hold `departedAt`.
  package struct VisitEnded: EventBody {
    package static let type = "visitorlog.visit.ended.v1"
    package let id: MessageID
    package let visitor: Named
    package let departedAt: Timestamp

    package init(id: MessageID, visitor: Named, departedAt: Timestamp) {
      self.id = id
      self.visitor = visitor
      self.departedAt = departedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      visitor = try reader.get("visitor")
      let change: Changed<Timestamp?> = try reader.change("departedAt")
      departedAt = try reader.value(change.after, "departedAt")
    }

    package var subject: String { "visit/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("departedAt", Changed(before: nil, after: departedAt))
      return changes.json(id: id, ["visitor": visitor.json])
    }
  }

  /// The times of a visit were put right; a departure taken away opens it again.
  package struct VisitEdited: EventBody {
    package static let type = "visitorlog.visit.edited.v1"
    package let id: MessageID
    package let visitor: Named
    package let arrivedAt: Changed<Timestamp>?
    package let departedAt: Changed<Timestamp?>?

    package init(
      id: MessageID, visitor: Named, arrivedAt: Changed<Timestamp>?, departedAt: Changed<Timestamp?>?
    ) {
      self.id = id
      self.visitor = visitor
      self.arrivedAt = arrivedAt
      self.departedAt = departedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      visitor = try reader.get("visitor")
      arrivedAt = try reader.changed("arrivedAt")
      departedAt = try reader.changed("departedAt")
    }

    package var subject: String { "visit/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("arrivedAt", arrivedAt)
      changes.add("departedAt", departedAt)
      return changes.json(id: id, ["visitor": visitor.json])
    }
  }

  /// A visit is gone.
  package struct VisitRemoved: EventBody {
    package static let type = "visitorlog.visit.removed.v1"
    package let last: VisitState
    package var id: MessageID { last.id }

    package init(last: VisitState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "visit/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// A visit is gone because its visitor was removed.
  package struct VisitCascadeDeleted: EventBody {
    package static let type = "visitorlog.visit.cascade-deleted.v1"
    package let last: VisitState
    package var id: MessageID { last.id }

    package init(last: VisitState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "visit/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// All that a visit was when it went.
  package struct VisitState: EventValue {
    package let id: MessageID
    package let visitor: Named
    package let arrivedAt: Timestamp
    package let departedAt: Timestamp?

    package init(id: MessageID, visitor: Named, arrivedAt: Timestamp, departedAt: Timestamp?) {
      self.id = id
      self.visitor = visitor
      self.arrivedAt = arrivedAt
      self.departedAt = departedAt
    }

    package var json: JSON {
      [
        "id": id.json, "visitor": visitor.json, "arrivedAt": arrivedAt.json, "departedAt": departedAt.json,
      ]
    }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let visitor = Named(in: json, "visitor"),
        let arrivedAt = Timestamp(in: json, "arrivedAt"), let departedAt = Timestamp?(in: json, "departedAt")
      else { return nil }
      self.init(id: id, visitor: visitor, arrivedAt: arrivedAt, departedAt: departedAt)
    }
  }
}
