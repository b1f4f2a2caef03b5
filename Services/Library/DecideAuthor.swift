import Contracts
import Messaging
import SQLite
import ServiceKit

extension LibraryDomain {
  func renameAuthor(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("author", Fields.reference, else: .name(""))
    let name = fields.required("name", Fields.name, else: "")
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let author = try authors.find(reference, in: command.workspace)
    try author.check(ifSequence: ifSequence)
    let key = try authors.freeKey(of: name, in: command.workspace, except: author.id, code: "author-name-taken")
    guard let change = Changed(from: author.name, to: name) else { return Accepted(author.id, []) }
    return Accepted(author.id, [.authorRenamed(.init(id: author.id, key: key, name: change))])
  }

  /// An author whom books name stays, unless the books are to lose them first.
  func removeAuthor(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("author", Fields.reference, else: .name(""))
    let detach = fields.optional("detach", Fields.bool) ?? false
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let author = try authors.find(reference, in: command.workspace)
    try author.check(ifSequence: ifSequence)
    let detached = try db.statement(
      """
      SELECT book.id, book.title FROM book_author
      JOIN book ON book.workspace = book_author.workspace AND book.id = book_author.book
      WHERE book_author.workspace = ? AND book_author.author = ? ORDER BY book.created
      """
    ).map(command.workspace, author.id) { row in
      LibraryEvent.bookAuthorDetached(.init(book: Named(id: try row.id(0), name: row.string(1)), author: author.named))
    }
    let count = detached.count
    guard count == 0 || detach else {
      throw Problem.conflict(
        "author-in-use",
        "\(count) \(count == 1 ? "book names" : "books name") the author \"\(author.name)\"; detach them to remove.",
        ["existing": JSON(author.id), "count": JSON(count)])
    }
    return Accepted(author.id, detached + [.authorRemoved(.init(last: author.named, books: count))])
  }
}
