import LibraryService
import Messaging
import TestSupport
import Testing

struct ReadingTests {
  let library: LibraryTester
  let book: JSON
  init() throws {
    library = try LibraryTester()
    book = JSON(try library.send("book.add", ["title": "Dune", "authors": ["Frank Herbert"]]).id)
  }

  private var state: [String] {
    get throws { try library.rows("SELECT is_read, read_on, rating, review FROM book") }
  }

  @Test func `a book is read on the day of the command in UTC, unless it says another`() throws {
    library.owner.now = try #require(Timestamp("2026-06-25T23:59:59.999Z"))
    let read = try library.send("book.mark-read", ["book": ["name": "DUNE"]])
    #expect(
      read.data[0] == [
        "id": book, "before": ["isRead": false, "readOn": nil], "after": ["isRead": true, "readOn": "2026-06-25"],
      ])
    #expect(try state == ["1 | 2026-06-25 | null | null"])
    let corrected = try library.send("book.mark-read", ["book": book, "readOn": "2026-06-26"])
    #expect(
      corrected.data[0] == ["id": book, "before": ["readOn": "2026-06-25"], "after": ["readOn": "2026-06-26"]])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `nobody need know the day`() throws {
    let read = try library.send("book.mark-read", ["book": book, "readOn": nil])
    #expect(read.data[0] == ["id": book, "before": ["isRead": false], "after": ["isRead": true]])
    let unread = try library.send("book.mark-unread", ["book": book])
    #expect(unread.data[0] == ["id": book, "before": ["isRead": true], "after": ["isRead": false]])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `reading twice and unreading twice are one event each`() throws {
    try library.send("book.mark-read", ["book": book, "readOn": "2020-01-01"])
    #expect(try library.send("book.mark-read", ["book": book]).types == [])
    #expect(try library.send("book.mark-read", ["book": book, "readOn": "2020-01-01"]).types == [])
    #expect(try state == ["1 | 2020-01-01 | null | null"])
    let unread = try library.send("book.mark-unread", ["book": book])
    #expect(
      unread.data[0] == [
        "id": book, "before": ["isRead": true, "readOn": "2020-01-01"], "after": ["isRead": false, "readOn": nil],
      ])
    #expect(try library.send("book.mark-unread", ["book": book]).types == [])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a rating and a review are kept apart, and null clears either`() throws {
    let rated = try library.send("book.rate", ["book": book, "rating": 4])
    #expect(rated.data[0] == ["id": book, "before": ["rating": nil], "after": ["rating": 4]])
    try library.send("book.rate", ["book": book, "review": "Sand.\n\tMuch sand."])
    #expect(try state == ["0 | null | 4 | Sand.\n\tMuch sand."])
    try library.send("book.rate", ["book": book, "rating": nil])
    #expect(try library.send("book.rate", ["book": book, "review": "  "]).types == ["book.rated"])
    #expect(try state == ["0 | null | null | null"])
    #expect(try library.send("book.rate", ["book": book]).types == [])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test(arguments: [0, 6, -1, "5", .number(4.5), true] as [JSON])
  func `a rating is a whole number from 1 to 5`(rating: JSON) throws {
    for problem in [
      try library.refusal("book.rate", ["book": book, "rating": rating]),
      try library.refusal("book.add", ["title": "a", "rating": rating]),
    ] {
      #expect(problem.code == "invalid")
      #expect(problem.fields == ["rating"])
    }
  }

  @Test func `a day that does not exist is refused`() throws {
    #expect(try library.refusal("book.mark-read", ["book": book, "readOn": "2026-02-30"]).fields == ["readOn"])
  }
}
