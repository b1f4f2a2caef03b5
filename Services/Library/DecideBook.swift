import Contracts
import Messaging
import SQLite
import ServiceKit

extension LibraryDomain {
  /// The most authors that a book can name.
  static let mostAuthors = 100

  func addBook(_ command: Command, now: Timestamp) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let title = fields.required("title", Fields.name, else: "")
    let names = fields.optional("authors", Fields.list(Fields.name, limit: Self.mostAuthors)) ?? []
    let genreReference = fields.optional("genre", Fields.reference)
    let saidToBeRead = fields.optional("isRead", Fields.bool)
    let readOn = fields.optional("readOn", Fields.day)
    let rating = fields.optional("rating", Self.rating)
    let review = fields.change("review", Fields.note).blankClears.applied(to: nil)
    let wanted = fields.optional("id", Fields.id)
    let addedAt = fields.optional("addedAt", Fields.time) ?? now
    if saidToBeRead == false, readOn != nil { fields.fail("readOn", "is only for a book that is read") }
    try fields.finish()

    let workspace = command.workspace
    let genre = try genreReference.map { try knownGenre($0, in: workspace) }
    let id = try ids.take(wanted, in: workspace)
    let (added, authors) = try authorsNamed(names, in: workspace)
    let book = LibraryEvent.BookAdded(
      id: id, title: title, key: Text.uniqueKey(title), authors: authors, genre: genre,
      isRead: saidToBeRead ?? (readOn != nil), readOn: readOn, rating: rating, review: review, addedAt: addedAt)
    return Accepted(id, added + [.bookAdded(book)])
  }

  func editBook(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("book", Fields.reference, else: .name(""))
    let title = fields.changeRequired("title", Fields.name)
    let names = fields.change("authors", Fields.list(Fields.name, limit: Self.mostAuthors))
    let genreReference = fields.change("genre", Fields.reference)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let workspace = command.workspace
    let book = try books.find(reference, in: workspace)
    try book.check(ifSequence: ifSequence)
    let genre: Named? =
      switch genreReference {
      case .keep: book.genre
      case .clear: nil
      case .set(let reference): try knownGenre(reference, in: workspace)
      }
    var (added, authors): ([LibraryEvent], Changed<[Named]>?) = ([], nil)
    if command.data["authors"] != nil {
      let current = try self.authors(of: book.id, in: workspace)
      let (new, named) = try authorsNamed(names.applied(to: nil) ?? [], in: workspace)
      // Reads give authors by name: those sent back in that order are no change.
      if Set(named) != Set(current) { (added, authors) = (new, Changed(before: current, after: named)) }
    }
    let renamed = Changed(from: book.title, to: title ?? book.title)
    let edited = LibraryEvent.BookEdited(
      id: book.id, key: (renamed?.after).map(Text.uniqueKey), title: renamed, authors: authors,
      genre: Changed(from: book.genre, to: genre))
    return Accepted(book.id, edited.changesNothing ? [] : added + [.bookEdited(edited)])
  }

  func removeBook(_ command: Command) throws -> Accepted<LibraryEvent> {
    let book = try onlyBook(command)
    let authors = try authors(of: book.id, in: command.workspace)
    return Accepted(book.id, [.bookRemoved(.init(last: book.state(authors: authors)))])
  }

  /// The book of a command that has no other field.
  func onlyBook(_ command: Command) throws -> Book {
    var fields = Fields(command.data)
    let reference = fields.required("book", Fields.reference, else: .name(""))
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let book = try books.find(reference, in: command.workspace)
    try book.check(ifSequence: ifSequence)
    return book
  }

  /// The authors of these names in their order, and the additions of those that the library does not have; a name
  /// given twice counts once.
  private func authorsNamed(
    _ names: [String], in workspace: String
  ) throws -> (added: [LibraryEvent], authors: [Named]) {
    var (added, found): ([LibraryEvent], [Named]) = ([], [])
    var seen: Set<String> = []
    for name in names where seen.insert(Text.uniqueKey(name)).inserted {
      if let existing = try authors.findIfAny(.name(name), in: workspace) {
        found.append(existing.named)
      } else {
        let id = try ids.take(nil, in: workspace)
        added.append(.authorAdded(.init(id: id, name: name, key: Text.uniqueKey(name))))
        found.append(Named(id: id, name: name))
      }
    }
    return (added, found)
  }
}

extension LibraryEvent.BookEdited {
  fileprivate var changesNothing: Bool { title == nil && authors == nil && genre == nil }
}
