package import Messaging

extension TasksEvent {
  /// A tag came to be.
  package struct TagCreated: EventBody {
    package static let type = "tasks.tag.created.v1"
    package let id: MessageID
    package let name: String
    /// The unique key of the name, as it was decided with.
    package let key: String

    package init(id: MessageID, name: String, key: String) {
      self.id = id
      self.name = name
      self.key = key
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      name = try reader.get("name")
      key = try reader.get("key")
    }

    package var subject: String { "tag/\(id)" }
    package var json: JSON { ["id": id.json, "name": name.json, "key": key.json] }
  }

  /// A tag has another name.
  package struct TagRenamed: EventBody {
    package static let type = "tasks.tag.renamed.v1"
    package let id: MessageID
    /// The unique key of the new name.
    package let key: String
    package let name: Changed<String>

    package init(id: MessageID, key: String, name: Changed<String>) {
      self.id = id
      self.key = key
      self.name = name
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      key = try reader.get("key")
      name = try reader.change("name")
    }

    package var subject: String { "tag/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("name", name)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// An item got a tag. It happened to the item.
  package struct TagAssigned: EventBody {
    package static let type = "tasks.tag.assigned.v1"
    package let item: Named
    package let tag: Named
    package var id: MessageID { item.id }

    package init(item: Named, tag: Named) {
      self.item = item
      self.tag = tag
    }

    package init(_ reader: EventReader) throws(ContractError) {
      item = try reader.get("item")
      tag = try reader.get("tag")
    }

    package var subject: String { "item/\(item.id)" }
    package var json: JSON { ["id": item.id.json, "item": item.json, "tag": tag.json] }
  }

  /// An item lost a tag. It happened to the item.
  package struct TagUnassigned: EventBody {
    package static let type = "tasks.tag.unassigned.v1"
    package let item: Named
    package let tag: Named
    package var id: MessageID { item.id }

    package init(item: Named, tag: Named) {
      self.item = item
      self.tag = tag
    }

    package init(_ reader: EventReader) throws(ContractError) {
      item = try reader.get("item")
      tag = try reader.get("tag")
    }

    package var subject: String { "item/\(item.id)" }
    package var json: JSON { ["id": item.id.json, "item": item.json, "tag": tag.json] }
  }

  /// A tag is gone; each item lost it in the events directly before.
  package struct TagDeleted: EventBody {
    package static let type = "tasks.tag.deleted.v1"
    package let last: Named
    /// How many items had it.
    package let items: Int
    package var id: MessageID { last.id }

    package init(last: Named, items: Int) {
      self.last = last
      self.items = items
    }

    package init(_ reader: EventReader) throws(ContractError) {
      last = try reader.get("last")
      let counts: EventCounts = try reader.get("counts")
      items = try counts.get("items", of: reader)
    }

    package var subject: String { "tag/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json, "counts": (["items": items] as EventCounts).json] }
  }
}
