package import Messaging

extension VisitorLogEvent {
  /// A visitor came to be.
  package struct VisitorRegistered: EventBody {
    package static let type = "visitorlog.visitor.registered.v1"
    package let id: MessageID
    /// May be blank; not both.
    package let firstName: String
    package let lastName: String
    /// The unique keys of what `{"name": …}` finds the visitor by: the full name in either order, and the last name.
    package let keys: [String]
    package let registeredAt: Timestamp

    package init(id: MessageID, firstName: String, lastName: String, keys: [String], registeredAt: Timestamp) {
      self.id = id
      self.firstName = firstName
      self.lastName = lastName
      self.keys = keys
      self.registeredAt = registeredAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      firstName = try reader.get("firstName")
      lastName = try reader.get("lastName")
      keys = try reader.get("keys")
      registeredAt = try reader.get("registeredAt")
    }

    package var subject: String { "visitor/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "firstName": firstName.json, "lastName": lastName.json, "keys": keys.json,
        "registeredAt": registeredAt.json,
      ]
    }
  }

  /// A visitor has another first or last name.
  package struct VisitorRenamed: EventBody {
    package static let type = "visitorlog.visitor.renamed.v1"
    package let id: MessageID
    /// All keys of the new name.
    package let keys: [String]
    package let firstName: Changed<String>?
    package let lastName: Changed<String>?

    package init(id: MessageID, keys: [String], firstName: Changed<String>?, lastName: Changed<String>?) {
      self.id = id
      self.keys = keys
      self.firstName = firstName
      self.lastName = lastName
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      keys = try reader.get("keys")
      firstName = try reader.changed("firstName")
      lastName = try reader.changed("lastName")
    }

    package var subject: String { "visitor/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("firstName", firstName)
      changes.add("lastName", lastName)
      return changes.json(id: id, ["keys": keys.json])
    }
  }

  /// A visitor is gone; the badge came back and the visits went in the events directly before.
  package struct VisitorRemoved: EventBody {
    package static let type = "visitorlog.visitor.removed.v1"
    package let last: VisitorState
    /// How many visits were deleted with the visitor.
    package let visits: Int
    /// How many badges came back: none or one.
    package let badges: Int
    package var id: MessageID { last.id }

    package init(last: VisitorState, visits: Int, badges: Int) {
      self.last = last
      self.visits = visits
      self.badges = badges
    }

    package init(_ reader: EventReader) throws(ContractError) {
      last = try reader.get("last")
      let counts: EventCounts = try reader.get("counts")
      visits = try counts.get("visits", of: reader)
      badges = try counts.get("badges", of: reader)
    }

    package var subject: String { "visitor/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "last": last.json, "counts": (["visits": visits, "badges": badges] as EventCounts).json,
      ]
    }
  }

  /// All that a visitor was when they went.
  package struct VisitorState: EventValue {
    package let id: MessageID
    package let firstName: String
    package let lastName: String
    package let registeredAt: Timestamp

    package init(id: MessageID, firstName: String, lastName: String, registeredAt: Timestamp) {
      self.id = id
      self.firstName = firstName
      self.lastName = lastName
      self.registeredAt = registeredAt
    }

    package var json: JSON {
      [
        "id": id.json, "firstName": firstName.json, "lastName": lastName.json, "registeredAt": registeredAt.json,
      ]
    }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let firstName = String(in: json, "firstName"),
        let lastName = String(in: json, "lastName"), let registeredAt = Timestamp(in: json, "registeredAt")
      else { return nil }
      self.init(id: id, firstName: firstName, lastName: lastName, registeredAt: registeredAt)
    }
  }
}
