package import Messaging

/// What happens in the library. One case a type; the bodies are in `LibraryEvent+Book.swift`, `+Author`, `+Genre`.
package enum LibraryEvent: DomainEvent {
  case bookAdded(BookAdded)
  case bookEdited(BookEdited)
  case bookRead(BookRead)
  case bookUnread(BookUnread)
  case bookRated(BookRated)
  case bookAuthorDetached(BookAuthorDetached)
  case bookGenreCleared(BookGenreCleared)
  case bookRemoved(BookRemoved)
  case authorAdded(AuthorAdded)
  case authorRenamed(AuthorRenamed)
  case authorRemoved(AuthorRemoved)
  case genreAdded(GenreAdded)
  case genreRenamed(GenreRenamed)
  case genreRemoved(GenreRemoved)

  /// How every stored version is read. An older version of a type gets an upcaster here, for good.
  package static let contract = EventContract<LibraryEvent>(
    [
      .init(LibraryEvent.bookAdded), .init(LibraryEvent.bookEdited), .init(LibraryEvent.bookRead),
      .init(LibraryEvent.bookUnread), .init(LibraryEvent.bookRated), .init(LibraryEvent.bookAuthorDetached),
      .init(LibraryEvent.bookGenreCleared), .init(LibraryEvent.bookRemoved), .init(LibraryEvent.authorAdded),
      .init(LibraryEvent.authorRenamed), .init(LibraryEvent.authorRemoved), .init(LibraryEvent.genreAdded),
      .init(LibraryEvent.genreRenamed), .init(LibraryEvent.genreRemoved),
    ], upcasters: [])

  package init(type: String, data: JSON) throws(ContractError) { self = try Self.contract.read(type: type, data: data) }

  /// The body of whichever case this is.
  package var body: any EventBody {
    switch self {
    case .bookAdded(let body): body
    case .bookEdited(let body): body
    case .bookRead(let body): body
    case .bookUnread(let body): body
    case .bookRated(let body): body
    case .bookAuthorDetached(let body): body
    case .bookGenreCleared(let body): body
    case .bookRemoved(let body): body
    case .authorAdded(let body): body
    case .authorRenamed(let body): body
    case .authorRemoved(let body): body
    case .genreAdded(let body): body
    case .genreRenamed(let body): body
    case .genreRemoved(let body): body
    }
  }

  package var type: String { Swift.type(of: body).type }
  package var subject: String { body.subject }
  package var data: JSON { body.json }
}
