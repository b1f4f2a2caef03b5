package import Messaging

extension LibraryEvent {
  /// A book has been read, or the day of it was put right.
  package struct BookRead: EventBody {
    package static let type = "library.book.read.v1"
    package let id: MessageID
    /// Nil where it had been read before, and only the day changed.
    package let isRead: Changed<Bool>?
    package let readOn: Changed<Day?>?

    package init(id: MessageID, isRead: Changed<Bool>?, readOn: Changed<Day?>?) {
      self.id = id
      self.isRead = isRead
      self.readOn = readOn
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      isRead = try reader.changed("isRead")
      readOn = try reader.changed("readOn")
    }

    package var subject: String { "book/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("isRead", isRead)
      changes.add("readOn", readOn)
      return changes.json(id: id)
    }
  }

  /// A book is still to be read.
  package struct BookUnread: EventBody {
    package static let type = "library.book.unread.v1"
    package let id: MessageID
    package let isRead: Changed<Bool>
    /// Nil where the day had not been known.
    package let readOn: Changed<Day?>?

    package init(id: MessageID, isRead: Changed<Bool>, readOn: Changed<Day?>?) {
      self.id = id
      self.isRead = isRead
      self.readOn = readOn
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      isRead = try reader.change("isRead")
      readOn = try reader.changed("readOn")
    }

    package var subject: String { "book/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("isRead", isRead)
      changes.add("readOn", readOn)
      return changes.json(id: id)
    }
  }

  /// What people think of a book changed.
  package struct BookRated: EventBody {
    package static let type = "library.book.rated.v1"
    package let id: MessageID
    package let rating: Changed<Int?>?
    package let review: Changed<String?>?

    package init(id: MessageID, rating: Changed<Int?>?, review: Changed<String?>?) {
      self.id = id
      self.rating = rating
      self.review = review
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      rating = try reader.changed("rating")
      review = try reader.changed("review")
    }

    package var subject: String { "book/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("rating", rating)
      changes.add("review", review)
      return changes.json(id: id)
    }
  }
}
