package import Messaging

extension LibraryEvent {
  /// A genre came to be.
  package struct GenreAdded: EventBody {
    package static let type = "library.genre.added.v1"
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

    package var subject: String { "genre/\(id)" }
    package var json: JSON { ["id": id.json, "name": name.json, "key": key.json] }
  }

  /// A genre has another name.
  package struct GenreRenamed: EventBody {
    package static let type = "library.genre.renamed.v1"
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

    package var subject: String { "genre/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("name", name)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// A genre is gone; each book lost it in the events directly before.
  package struct GenreRemoved: EventBody {
    package static let type = "library.genre.removed.v1"
    package let last: Named
    /// How many books had it.
    package let books: Int
    package var id: MessageID { last.id }

    package init(last: Named, books: Int) {
      self.last = last
      self.books = books
    }

    package init(_ reader: EventReader) throws(ContractError) {
      last = try reader.get("last")
      let counts: EventCounts = try reader.get("counts")
      books = try counts.get("books", of: reader)
    }

    package var subject: String { "genre/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json, "counts": (["books": books] as EventCounts).json] }
  }
}
