package import Messaging

extension TasksEvent {
  /// A project came to be.
  package struct ProjectCreated: EventBody {
    package static let type = "tasks.project.created.v1"
    package let id: MessageID
    package let name: String
    /// The unique key of the name, as it was decided with.
    package let key: String
    package let place: String?
    package let createdAt: Timestamp
    package let startsOn: Day?
    package let endsOn: Day?

    package init(
      id: MessageID, name: String, key: String, place: String?, createdAt: Timestamp, startsOn: Day?, endsOn: Day?
    ) {
      self.id = id
      self.name = name
      self.key = key
      self.place = place
      self.createdAt = createdAt
      self.startsOn = startsOn
      self.endsOn = endsOn
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      name = try reader.get("name")
      key = try reader.get("key")
      place = try reader.get("place")
      createdAt = try reader.get("createdAt")
      startsOn = try reader.get("startsOn")
      endsOn = try reader.get("endsOn")
    }

    package var subject: String { "project/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "name": name.json, "key": key.json, "place": place.json, "createdAt": createdAt.json,
        "startsOn": startsOn.json, "endsOn": endsOn.json,
      ]
    }
  }

  /// Some of a project's fields changed.
  package struct ProjectEdited: EventBody {
    package static let type = "tasks.project.edited.v1"
    package let id: MessageID
    /// The unique key of the new name; nil where the name stayed.
    package let key: String?
    package let name: Changed<String>?
    package let place: Changed<String?>?
    package let startsOn: Changed<Day?>?
    package let endsOn: Changed<Day?>?

    package init(
      id: MessageID, key: String?, name: Changed<String>?, place: Changed<String?>?, startsOn: Changed<Day?>?,
      endsOn: Changed<Day?>?
    ) {
      self.id = id
      self.key = key
      self.name = name
      self.place = place
      self.startsOn = startsOn
      self.endsOn = endsOn
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      key = try reader.get("key")
      name = try reader.changed("name")
      place = try reader.changed("place")
      startsOn = try reader.changed("startsOn")
      endsOn = try reader.changed("endsOn")
    }

    package var subject: String { "project/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("name", name)
      changes.add("place", place)
      changes.add("startsOn", startsOn)
      changes.add("endsOn", endsOn)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// A project is gone; its items went or were moved out in the events directly before.
  package struct ProjectDeleted: EventBody {
    package static let type = "tasks.project.deleted.v1"
    package let last: ProjectState
    /// How many of its items were deleted with it.
    package let itemsDeleted: Int
    /// How many of its items stayed, in no project.
    package let itemsKept: Int
    package var id: MessageID { last.id }

    package init(last: ProjectState, itemsDeleted: Int, itemsKept: Int) {
      self.last = last
      self.itemsDeleted = itemsDeleted
      self.itemsKept = itemsKept
    }

    package init(_ reader: EventReader) throws(ContractError) {
      last = try reader.get("last")
      let counts: EventCounts = try reader.get("counts")
      itemsDeleted = try counts.get("itemsDeleted", of: reader)
      itemsKept = try counts.get("itemsKept", of: reader)
    }

    package var subject: String { "project/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "last": last.json,
        "counts": (["itemsDeleted": itemsDeleted, "itemsKept": itemsKept] as EventCounts).json,
      ]
    }
  }

  /// All that a project was when it went.
  package struct ProjectState: EventValue {
    package let id: MessageID
    package let name: String
    package let place: String?
    package let createdAt: Timestamp
    package let startsOn: Day?
    package let endsOn: Day?

    package init(
      id: MessageID, name: String, place: String?, createdAt: Timestamp, startsOn: Day?, endsOn: Day?
    ) {
      self.id = id
      self.name = name
      self.place = place
      self.createdAt = createdAt
      self.startsOn = startsOn
      self.endsOn = endsOn
    }

    package var json: JSON {
      [
        "id": id.json, "name": name.json, "place": place.json, "createdAt": createdAt.json,
        "startsOn": startsOn.json, "endsOn": endsOn.json,
      ]
    }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let name = String(in: json, "name"),
        let place = String?(in: json, "place"), let createdAt = Timestamp(in: json, "createdAt"),
        let startsOn = Day?(in: json, "startsOn"), let endsOn = Day?(in: json, "endsOn")
      else { return nil }
      self.init(id: id, name: name, place: place, createdAt: createdAt, startsOn: startsOn, endsOn: endsOn)
    }
  }
}
