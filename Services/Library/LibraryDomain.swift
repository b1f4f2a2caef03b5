package import Contracts
package import Messaging
package import SQLite
package import ServiceKit

/// The rules of the library: books have authors and a genre. What is refused is in `Decide….swift`, what is written in
/// `Evolve….swift`, the tables in `Schema.swift`.
package struct LibraryDomain: Domain {
  package static let service = "library"

  let db: Connection
  let books: EntityFinder<Book>
  let authors: EntityFinder<Author>
  let genres: EntityFinder<Genre>
  let ids: EntityIDs
  private let bookRows: BookRows
  private let authorRows: AuthorRows
  private let genreRows: GenreRows

  package init(_ db: Connection) throws {
    self.db = db
    books = try Book.finder(db)
    authors = try Author.finder(db)
    genres = try Genre.finder(db)
    ids = try EntityIDs(db, tables: ["book", "author", "genre"])
    bookRows = try BookRows(db)
    authorRows = try AuthorRows(db)
    genreRows = GenreRows(db: db)
  }

  package func decide(_ command: Command, now: Timestamp) throws -> Accepted<LibraryEvent> {
    switch command.type {
    case "library.book.add.v1": try addBook(command, now: now)
    case "library.book.edit.v1": try editBook(command)
    case "library.book.mark-read.v1": try markRead(command, now: now)
    case "library.book.mark-unread.v1": try markUnread(command)
    case "library.book.rate.v1": try rateBook(command)
    case "library.book.remove.v1": try removeBook(command)
    case "library.author.rename.v1": try renameAuthor(command)
    case "library.author.remove.v1": try removeAuthor(command)
    case "library.genre.add.v1": try addGenre(command)
    case "library.genre.rename.v1": try renameGenre(command)
    case "library.genre.remove.v1": try removeGenre(command)
    default: throw CommandCatalogue.unknownType(command.type)
    }
  }

  package func evolve(_ event: LibraryEvent, at place: EventPlace) throws {
    switch event {
    case .bookAdded(let event): try bookRows.added(event, at: place)
    case .bookEdited(let event): try bookRows.edited(event, at: place)
    case .bookRead(let event): try bookRows.read(event, at: place)
    case .bookUnread(let event): try bookRows.unread(event, at: place)
    case .bookRated(let event): try bookRows.rated(event, at: place)
    case .bookAuthorDetached(let event): try bookRows.authorDetached(event, at: place)
    case .bookGenreCleared(let event): try bookRows.genreCleared(event, at: place)
    case .bookRemoved(let event): try bookRows.removed(event, at: place)
    case .authorAdded(let event): try authorRows.added(event, at: place)
    case .authorRenamed(let event): try authorRows.renamed(event, at: place)
    case .authorRemoved(let event): try authorRows.removed(event, at: place)
    case .genreAdded(let event): try genreRows.added(event, at: place)
    case .genreRenamed(let event): try genreRows.renamed(event, at: place)
    case .genreRemoved(let event): try genreRows.removed(event, at: place)
    }
  }
}
