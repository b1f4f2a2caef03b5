package import Messaging

extension LibraryEvent {
  /// A book came to be; authors that are new to the library stand in the events directly before.
  package struct BookAdded: EventBody {
    package static let type = "library.book.added.v1"
    package let id: MessageID
    package let title: String
    /// The unique key of the title: what `{"name": …}` finds it by. Titles need not be unique.
    package let key: String
    /// In the order that the book names them.
    package let authors: [Named]
    package let genre: Named?
    package let isRead: Bool
    /// Nil where the book is not read, or nobody knows when.
    package let readOn: Day?
    /// 1 to 5.
    package let rating: Int?
    package let review: String?
    package let addedAt: Timestamp

    package init(
      id: MessageID, title: String, key: String, authors: [Named], genre: Named?, isRead: Bool, readOn: Day?,
      rating: Int?, review: String?, addedAt: Timestamp
    ) {
      self.id = id
      self.title = title
      self.key = key
      self.authors = authors
      self.genre = genre
      self.isRead = isRead
      self.readOn = readOn
      self.rating = rating
      self.review = review
      self.addedAt = addedAt
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      title = try reader.get("title")
      key = try reader.get("key")
      authors = try reader.get("authors")
      genre = try reader.get("genre")
      isRead = try reader.get("isRead")
      readOn = try reader.get("readOn")
      rating = try reader.get("rating")
      review = try reader.get("review")
      addedAt = try reader.get("addedAt")
    }

    package var subject: String { "book/\(id)" }
    package var json: JSON {
      [
        "id": id.json, "title": title.json, "key": key.json, "authors": authors.json, "genre": genre.json,
        "isRead": isRead.json, "readOn": readOn.json, "rating": rating.json, "review": review.json,
        "addedAt": addedAt.json,
      ]
    }
  }

  /// A book's title, authors or genre changed.
  package struct BookEdited: EventBody {
    package static let type = "library.book.edited.v1"
    package let id: MessageID
    /// The unique key of the new title; nil where the title stayed.
    package let key: String?
    package let title: Changed<String>?
    /// The whole lists.
    package let authors: Changed<[Named]>?
    package let genre: Changed<Named?>?

    package init(
      id: MessageID, key: String?, title: Changed<String>?, authors: Changed<[Named]>?, genre: Changed<Named?>?
    ) {
      self.id = id
      self.key = key
      self.title = title
      self.authors = authors
      self.genre = genre
    }

    package init(_ reader: EventReader) throws(ContractError) {
      id = try reader.get("id")
      key = try reader.get("key")
      title = try reader.changed("title")
      authors = try reader.changed("authors")
      genre = try reader.changed("genre")
    }

    package var subject: String { "book/\(id)" }
    package var json: JSON {
      var changes = EventChanges()
      changes.add("title", title)
      changes.add("authors", authors)
      changes.add("genre", genre)
      return changes.json(id: id, ["key": key.json])
    }
  }

  /// A book has lost an author who is being removed. It happened to the book.
  package struct BookAuthorDetached: EventBody {
    package static let type = "library.book.author-detached.v1"
    package let book: Named
    package let author: Named
    package var id: MessageID { book.id }

    package init(book: Named, author: Named) {
      self.book = book
      self.author = author
    }

    package init(_ reader: EventReader) throws(ContractError) {
      book = try reader.get("book")
      author = try reader.get("author")
    }

    package var subject: String { "book/\(book.id)" }
    package var json: JSON { ["id": book.id.json, "book": book.json, "author": author.json] }
  }

  /// A book has lost its genre, which is being removed. It happened to the book.
  package struct BookGenreCleared: EventBody {
    package static let type = "library.book.genre-cleared.v1"
    package let book: Named
    package let genre: Named
    package var id: MessageID { book.id }

    package init(book: Named, genre: Named) {
      self.book = book
      self.genre = genre
    }

    package init(_ reader: EventReader) throws(ContractError) {
      book = try reader.get("book")
      genre = try reader.get("genre")
    }

    package var subject: String { "book/\(book.id)" }
    package var json: JSON { ["id": book.id.json, "book": book.json, "genre": genre.json] }
  }

  /// A book is gone; its authors and its genre stay.
  package struct BookRemoved: EventBody {
    package static let type = "library.book.removed.v1"
    package let last: BookState
    package var id: MessageID { last.id }

    package init(last: BookState) { self.last = last }
    package init(_ reader: EventReader) throws(ContractError) { last = try reader.get("last") }

    package var subject: String { "book/\(id)" }
    package var json: JSON { ["id": id.json, "last": last.json] }
  }

  /// All that a book was when it went; authors in the order that it named them.
  package struct BookState: EventValue {
    package let id: MessageID
    package let title: String
    package let authors: [Named]
    package let genre: Named?
    package let isRead: Bool
    package let readOn: Day?
    package let rating: Int?
    package let review: String?
    package let addedAt: Timestamp

    package init(
      id: MessageID, title: String, authors: [Named], genre: Named?, isRead: Bool, readOn: Day?, rating: Int?,
      review: String?, addedAt: Timestamp
    ) {
      self.id = id
      self.title = title
      self.authors = authors
      self.genre = genre
      self.isRead = isRead
      self.readOn = readOn
      self.rating = rating
      self.review = review
      self.addedAt = addedAt
    }

    package var json: JSON {
      [
        "id": id.json, "title": title.json, "authors": authors.json, "genre": genre.json, "isRead": isRead.json,
        "readOn": readOn.json, "rating": rating.json, "review": review.json, "addedAt": addedAt.json,
      ]
    }
    package init?(json: JSON) {
      guard let id = MessageID(in: json, "id"), let title = String(in: json, "title"),
        let authors = [Named](in: json, "authors"), let genre = Named?(in: json, "genre"),
        let isRead = Bool(in: json, "isRead"), let readOn = Day?(in: json, "readOn"),
        let rating = Int?(in: json, "rating"), let review = String?(in: json, "review"),
        let addedAt = Timestamp(in: json, "addedAt")
      else { return nil }
      self.init(
        id: id, title: title, authors: authors, genre: genre, isRead: isRead, readOn: readOn, rating: rating,
        review: review, addedAt: addedAt)
    }
  }
}
