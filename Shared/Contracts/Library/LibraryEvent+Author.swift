package import Messaging

extension LibraryEvent {
  /// An author came to be.
  package struct AuthorAdded: EventBody {
    package static let type = "library.author.added.v1"
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

    package var subject: String { "author/\(id)" }
    package var json: JSON { ["id": id.json, "name": name.json, "key": key.json] }
  }

  /// An author has another name.
  package struct AuthorRenamed: EventBody {
    package static let type = "library.author.renamed.v1"
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

    package var subject: String { "author/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("name", name)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// An author is gone; with `detach` each book lost them in the events directly before.
  package struct AuthorRemoved: EventBody {
    package static let type = "library.author.removed.v1"
    package let last: Named
    /// How many books named them.
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

    package var subject: String { "author/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json, "counts": (["books": books] as EventCounts).json] }
  }
}
