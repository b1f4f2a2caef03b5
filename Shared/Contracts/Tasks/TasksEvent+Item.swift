package import Messaging

extension TasksEvent {
  /// An item came to be; its tags follow, one `tasks.tag.assigned` each.
  package struct ItemAdded: EventBody {
    package static let type = "tasks.item.added.v1"
    package let id: MessageID
    package let title: String
    /// The unique key of the title: what `{"name": …}` finds it by. Titles need not be unique.
    package let key: String
    package let note: String?
    package let createdAt: Timestamp
    /// Set exactly where the item is completed.
    package let completedAt: Timestamp?
    package let dueOn: Day?
    package let project: Named?
    package var isCompleted: Bool { completedAt != nil }

    package init(
      id: MessageID, title: String, key: String, note: String?, createdAt: Timestamp, completedAt: Timestamp?,
      dueOn: Day?, project: Named?
    ) {
      self.id = id
      self.title = title
      self.key = key
      self.note = note
      self.createdAt = createdAt
      self.completedAt = completedAt
      self.dueOn = dueOn
      self.project = project
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      title = try reader.get("title")
      key = try reader.get("key")
      note = try reader.get("note")
      createdAt = try reader.get("createdAt")
      completedAt = try reader.get("completedAt")
      dueOn = try reader.get("dueOn")
      project = try reader.get("project")
    }

    package var subject: String { "item/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "title": title.json, "key": key.json, "note": note.json, "createdAt": createdAt.json,
        "completedAt": completedAt.json, "dueOn": dueOn.json, "project": project.json,
      ]
    }
  }

  /// Some of an item's fields changed.
  package struct ItemEdited: EventBody {
    package static let type = "tasks.item.edited.v1"
    package let id: MessageID
    /// The unique key of the new title; nil where the title stayed.
    package let key: String?
    package let title: Changed<String>?
    package let note: Changed<String?>?
    package let dueOn: Changed<Day?>?

    package init(
      id: MessageID, key: String?, title: Changed<String>?, note: Changed<String?>?, dueOn: Changed<Day?>?
    ) {
      self.id = id
      self.key = key
      self.title = title
      self.note = note
      self.dueOn = dueOn
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      key = try reader.get("key")
      title = try reader.changed("title")
      note = try reader.changed("note")
      dueOn = try reader.changed("dueOn")
    }

    package var subject: String { "item/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("title", title)
      changes.add("note", note)
      changes.add("dueOn", dueOn)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// An item is done. `before` and `after` hold `completedAt`.
  package struct ItemCompleted: EventBody {
    package static let type = "tasks.item.completed.v1"
    package let id: MessageID
    package let completedAt: Timestamp

    package init(id: MessageID, completedAt: Timestamp) {
      self.id = id
      self.completedAt = completedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      let change: Changed<Timestamp?> = try reader.change("completedAt")
      completedAt = try reader.value(change.after, "completedAt")
    }

    package var subject: String { "item/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("completedAt", Changed(before: nil, after: completedAt))
      return changes.json(id: id)
    }
  }

  /// An item is to be done again. `before` and `after` hold `completedAt`.
  package struct ItemReopened: EventBody {
    package static let type = "tasks.item.reopened.v1"
    package let id: MessageID
    /// When it had been completed.
    package let completedAt: Timestamp

    package init(id: MessageID, completedAt: Timestamp) {
      self.id = id
      self.completedAt = completedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      let change: Changed<Timestamp?> = try reader.change("completedAt")
      completedAt = try reader.value(change.before, "completedAt")
    }

    package var subject: String { "item/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("completedAt", Changed(before: completedAt, after: nil))
      return changes.json(id: id)
    }
  }

  /// An item went to another project, or to none.
  package struct ItemMoved: EventBody {
    package static let type = "tasks.item.moved.v1"
    package let id: MessageID
    package let project: Changed<Named?>

    package init(id: MessageID, project: Changed<Named?>) {
      self.id = id
      self.project = project
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      project = try reader.change("project")
    }

    package var subject: String { "item/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("project", project)
      return changes.json(id: id)
    }
  }

  /// An item is gone, and its tags from it.
  package struct ItemDeleted: EventBody {
    package static let type = "tasks.item.deleted.v1"
    package let last: ItemState
    package var id: MessageID { last.id }

    package init(last: ItemState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "item/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// An item is gone because its project was deleted.
  package struct ItemCascadeDeleted: EventBody {
    package static let type = "tasks.item.cascade-deleted.v1"
    package let last: ItemState
    package var id: MessageID { last.id }

    package init(last: ItemState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "item/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// All that an item was when it went; tags by name.
  package struct ItemState: EventValue {
    package let id: MessageID
    package let title: String
    package let note: String?
    package let createdAt: Timestamp
    package let completedAt: Timestamp?
    package let dueOn: Day?
    package let project: Named?
    package let tags: [Named]

    package init(
      id: MessageID, title: String, note: String?, createdAt: Timestamp, completedAt: Timestamp?, dueOn: Day?,
      project: Named?, tags: [Named]
    ) {
      self.id = id
      self.title = title
      self.note = note
      self.createdAt = createdAt
      self.completedAt = completedAt
      self.dueOn = dueOn
      self.project = project
      self.tags = tags
    }

    package var json: JSON {
      [
        "id": id.json, "title": title.json, "note": note.json, "createdAt": createdAt.json,
        "completedAt": completedAt.json, "dueOn": dueOn.json, "project": project.json, "tags": tags.json,
      ]
    }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let title = String(in: json, "title"),
        let note = String?(in: json, "note"), let createdAt = Timestamp(in: json, "createdAt"),
        let completedAt = Timestamp?(in: json, "completedAt"), let dueOn = Day?(in: json, "dueOn"),
        let project = Named?(in: json, "project"), let tags = [Named](in: json, "tags")
      else { return nil }
      self.init(
        id: id, title: title, note: note, createdAt: createdAt, completedAt: completedAt, dueOn: dueOn,
        project: project, tags: tags)
    }
  }
}
