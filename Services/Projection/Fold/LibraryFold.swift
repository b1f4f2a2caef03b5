import Contracts

/// The events of the library, each to the rows that it writes.
struct LibraryFold {
  private let books: BookRows
  private let authors: NamedRows
  private let genres: NamedRows

  init(_ context: FoldContext) throws {
    authors = try NamedRows(.author, context)
    genres = try NamedRows(.genre, context)
    books = try BookRows(context)
  }

  func fold(_ event: LibraryEvent, at place: FoldPlace) throws {
    switch event {
    case .bookAdded(let event): try books.added(event, at: place)
    case .bookEdited(let event): try books.edited(event, at: place)
    case .bookRead(let event): try books.read(event, at: place)
    case .bookUnread(let event): try books.unread(event, at: place)
    case .bookRated(let event): try books.rated(event, at: place)
    case .bookAuthorDetached(let event): try books.detached(event.author.id, from: event.book.id, at: place)
    case .bookGenreCleared(let event): try books.genreCleared(event.book.id, at: place)
    case .bookRemoved(let event): try books.removed(event.id, at: place)
    case .authorAdded(let event): try authors.add(event.id, name: event.name, key: event.key, at: place)
    case .authorRenamed(let event): try authors.rename(event.id, name: event.name.after, key: event.key, at: place)
    case .authorRemoved(let event): try authors.delete(event.id, at: place)
    case .genreAdded(let event): try genres.add(event.id, name: event.name, key: event.key, at: place)
    case .genreRenamed(let event): try genres.rename(event.id, name: event.name.after, key: event.key, at: place)
    case .genreRemoved(let event): try genres.delete(event.id, at: place)
    }
  }
}
