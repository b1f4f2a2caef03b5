import Contracts
import Messaging
import Testing

struct LibraryEventTests {
  static let id = MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
  static let author = Named(
    id: MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002), name: "Frank \"Herbert\"")
  static let genre = Named(id: MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0003), name: "Čeština")
  static let named = Named(id: id, name: "Dune")
  static let time = Timestamp(milliseconds: 1_780_000_000_123)
  static let day = Day("2026-05-25")

  static let book = LibraryEvent.BookState(
    id: id, title: "Dune", authors: [author, named], genre: genre, isRead: true, readOn: day, rating: 5,
    review: "Sand.\nMuch sand.", addedAt: time)
  static let bare = LibraryEvent.BookState(
    id: id, title: "Dune", authors: [], genre: nil, isRead: false, readOn: nil, rating: nil, review: nil, addedAt: time)

  static let events: [LibraryEvent] = [
    .bookAdded(
      .init(
        id: id, title: "Dune", key: "dune", authors: [author], genre: genre, isRead: true, readOn: day, rating: 1,
        review: "r", addedAt: time)),
    .bookAdded(
      .init(
        id: id, title: "Dune", key: "dune", authors: [], genre: nil, isRead: false, readOn: nil, rating: nil,
        review: nil, addedAt: time)),
    .bookEdited(
      .init(
        id: id, key: "b", title: .init(before: "A", after: "B"), authors: .init(before: [author], after: []),
        genre: .init(before: nil, after: genre))),
    .bookEdited(.init(id: id, key: nil, title: nil, authors: nil, genre: .init(before: genre, after: nil))),
    .bookRead(.init(id: id, isRead: .init(before: false, after: true), readOn: .init(before: nil, after: day))),
    .bookRead(.init(id: id, isRead: nil, readOn: .init(before: day, after: nil))),
    .bookUnread(.init(id: id, isRead: .init(before: true, after: false), readOn: .init(before: day, after: nil))),
    .bookUnread(.init(id: id, isRead: .init(before: true, after: false), readOn: nil)),
    .bookRated(.init(id: id, rating: .init(before: nil, after: 4), review: .init(before: "x", after: nil))),
    .bookAuthorDetached(.init(book: named, author: author)),
    .bookGenreCleared(.init(book: named, genre: genre)),
    .bookRemoved(.init(last: book)),
    .bookRemoved(.init(last: bare)),
    .authorAdded(.init(id: id, name: "Café", key: "café")),
    .authorRenamed(.init(id: id, key: "b", name: .init(before: "a", after: "B"))),
    .authorRemoved(.init(last: named, books: 2)),
    .genreAdded(.init(id: id, name: "Crime", key: "crime")),
    .genreRenamed(.init(id: id, key: "b", name: .init(before: "a", after: "B"))),
    .genreRemoved(.init(last: named, books: 0)),
  ]

  @Test(arguments: events) func `an event is read back as it was written`(event: LibraryEvent) throws {
    let data = try JSON(parsing: event.data.bytes)
    #expect(try LibraryEvent(type: event.type, data: data) == event)
    #expect(data["id"]?.string == Self.id.description)
    #expect(event.subject.hasSuffix("/\(Self.id)"))
  }

  @Test func `every type of the contract has an example here`() {
    #expect(Set(Self.events.map(\.type)) == Set(LibraryEvent.contract.types))
  }

  @Test func `an edit holds just the fields that changed, before and after`() {
    #expect(
      Self.events[5].data.text
        == #"{"id":"\#(Self.id)","before":{"readOn":"2026-05-25"},"after":{"readOn":null}}"#)
  }
}
