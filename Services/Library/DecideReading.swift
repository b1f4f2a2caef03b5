import Contracts
import Messaging
import ServiceKit

extension LibraryDomain {
  /// Without a day a book that is read already keeps the one that it has.
  func markRead(_ command: Command, now: Timestamp) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("book", Fields.reference, else: .name(""))
    let readOn = fields.change("readOn", Fields.day)
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let book = try books.find(reference, in: command.workspace)
    try book.check(ifSequence: ifSequence)
    let read = LibraryEvent.BookRead(
      id: book.id, isRead: Changed(from: book.isRead, to: true),
      readOn: Changed(from: book.readOn, to: readOn.applied(to: book.isRead ? book.readOn : now.day)))
    return Accepted(book.id, read.isRead == nil && read.readOn == nil ? [] : [.bookRead(read)])
  }

  func markUnread(_ command: Command) throws -> Accepted<LibraryEvent> {
    let book = try onlyBook(command)
    guard let isRead = Changed(from: book.isRead, to: false) else { return Accepted(book.id, []) }
    let unread = LibraryEvent.BookUnread(id: book.id, isRead: isRead, readOn: Changed(from: book.readOn, to: nil))
    return Accepted(book.id, [.bookUnread(unread)])
  }

  func rateBook(_ command: Command) throws -> Accepted<LibraryEvent> {
    var fields = Fields(command.data)
    let reference = fields.required("book", Fields.reference, else: .name(""))
    let rating = fields.change("rating", Self.rating)
    let review = fields.change("review", Fields.note).blankClears
    let ifSequence = fields.optional("ifSequence", Fields.integer)
    try fields.finish()

    let book = try books.find(reference, in: command.workspace)
    try book.check(ifSequence: ifSequence)
    let rated = LibraryEvent.BookRated(
      id: book.id, rating: Changed(from: book.rating, to: rating.applied(to: book.rating)),
      review: Changed(from: book.review, to: review.applied(to: book.review)))
    return Accepted(book.id, rated.rating == nil && rated.review == nil ? [] : [.bookRated(rated)])
  }

  /// Reads a rating.
  static func rating(_ json: JSON) -> Result<Int, Fields.Wrong> {
    guard let rating = json.integer, (1...5).contains(rating) else {
      return .failure(Fields.Wrong("must be a whole number from 1 to 5"))
    }
    return .success(Int(rating))
  }
}
