import Contracts
import Messaging
import SQLite
import ServiceKit

/// A book, as the rules read it; its authors are read where they are needed. Titles need not be unique.
struct Book: Entity {
  static let kind = "book"
  let id: MessageID
  let name: String
  let sequence: Int64
  let genre: Named?
  let isRead: Bool
  let readOn: Day?
  let rating: Int?
  let review: String?
  let addedAt: Timestamp
  /// A JSON list; read only where a title may fit several books.
  private let authorNames: String?

  var title: String { name }
  var named: Named { Named(id: id, name: name) }
  var candidate: JSONObject {
    [
      "title": .string(title), "authors": authorNames.flatMap { try? JSON(parsing: $0) } ?? [], "genre": genre.json,
      "addedAt": JSON(addedAt),
    ]
  }

  init(_ row: borrowing Row) throws {
    id = try row.id(0)
    name = row.string(1)
    sequence = row.int64(2)
    genre = try row.idOrNil(3).map { Named(id: $0, name: row.string(4)) }
    isRead = row.bool(5)
    readOn = try row.dayOrNil(6)
    rating = row.int64OrNil(7).map(Int.init)
    review = row.stringOrNil(8)
    addedAt = row.time(9)
    authorNames = row.stringOrNil(10)
  }

  static func finder(_ db: Connection) throws -> EntityFinder<Book> {
    func select(authors: String) -> String {
      """
      SELECT book.id, book.title, book.sequence, genre.id, genre.name, book.is_read, book.read_on, book.rating,
        book.review, book.added_at, \(authors)
      FROM book LEFT JOIN genre ON genre.workspace = book.workspace AND genre.id = book.genre
      """
    }
    let names = """
      (SELECT json_group_array(name) FROM (
        SELECT author.name FROM book_author
        JOIN author ON author.workspace = book_author.workspace AND author.id = book_author.author
        WHERE book_author.workspace = book.workspace AND book_author.book = book.id ORDER BY book_author.position))
      """
    return try EntityFinder(
      db,
      byID: "\(select(authors: "NULL")) WHERE book.workspace = ?1 AND book.id = ?2",
      byName: "\(select(authors: names)) WHERE book.workspace = ?1 AND book.key = ?2 ORDER BY book.created")
  }

  /// All that it is, with its authors.
  func state(authors: [Named]) -> LibraryEvent.BookState {
    .init(
      id: id, title: title, authors: authors, genre: genre, isRead: isRead, readOn: readOn, rating: rating,
      review: review, addedAt: addedAt)
  }
}

extension LibraryDomain {
  /// The authors of a book, in the order that it names them.
  func authors(of book: MessageID, in workspace: String) throws -> [Named] {
    try db.statement(
      """
      SELECT author.id, author.name FROM book_author
      JOIN author ON author.workspace = book_author.workspace AND author.id = book_author.author
      WHERE book_author.workspace = ? AND book_author.book = ? ORDER BY book_author.position
      """
    ).map(workspace, book) { Named(id: try $0.id(0), name: $0.string(1)) }
  }
}
