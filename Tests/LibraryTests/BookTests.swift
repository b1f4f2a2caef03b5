import Contracts
import LibraryService
import Messaging
import TestSupport
import Testing

typealias LibraryTester = RulesTester<LibraryDomain>

struct BookTests {
  let library: LibraryTester
  init() throws { library = try LibraryTester() }

  @Test func `a book is added with its authors in order, those that are new first, each once`() throws {
    let genre = try library.send("genre.add", ["name": "Science fiction"]).id
    let old = try library.send("book.add", ["title": "Good Omens", "authors": ["Neil Gaiman"]])
    #expect(old.types == ["author.added", "book.added"])
    let now = library.owner.now
    let done = try library.send(
      "book.add",
      [
        "title": " Dune ", "authors": ["Frank Herbert", "NEIL GAIMAN", "Brian Herbert", "frank  herbert"],
        "genre": ["name": "science FICTION"], "rating": 5, "review": "Sand.\n",
      ])
    #expect(done.types == ["author.added", "author.added", "book.added"])
    #expect(done.data[0]["name"] == "Frank Herbert")
    #expect(done.data[0]["key"] == "frank herbert")
    #expect(
      done.data[2] == [
        "id": JSON(done.id), "title": "Dune", "key": "dune",
        "authors": [
          ["id": done.data[0]["id"] ?? nil, "name": "Frank Herbert"],
          ["id": old.data[0]["id"] ?? nil, "name": "Neil Gaiman"],
          ["id": done.data[1]["id"] ?? nil, "name": "Brian Herbert"],
        ],
        "genre": ["id": JSON(genre), "name": "Science fiction"], "isRead": false, "readOn": nil, "rating": 5,
        "review": "Sand.", "addedAt": JSON(now),
      ])
    #expect(
      try library.rows(
        """
        SELECT author.name FROM book_author JOIN author ON author.id = author WHERE book = '\(JSON(done.id).string ?? "")'
        ORDER BY position
        """) == ["Frank Herbert", "Neil Gaiman", "Brian Herbert"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a book needs nothing but its title, and its lists are empty, never null`() throws {
    let done = try library.send("book.add", ["title": "Dune"])
    #expect(done.types == ["book.added"])
    #expect(done.data[0]["authors"] == [])
    #expect(done.data[0]["genre"] == .null)
  }

  @Test func `a book that one had already is added as it is`() throws {
    let id = MessageID.next()
    let done = try library.send(
      "book.add",
      ["title": "Old", "id": JSON(id), "addedAt": "2001-02-03T04:05:06.789+02:00", "readOn": "2001-03-01"])
    #expect(done.id == id)
    #expect(done.data[0]["addedAt"] == "2001-02-03T02:05:06.789Z")
    try library.send("book.add", ["title": "Older", "isRead": true])
    #expect(
      try library.rows("SELECT title, is_read, read_on FROM book ORDER BY created")
        == ["Old | 1 | 2001-03-01", "Older | 1 | null"])
  }

  @Test func `a day of reading is only for a book that is read`() throws {
    let problem = try library.refusal("book.add", ["title": "a", "isRead": false, "readOn": "2026-05-25"])
    #expect(problem.fields == ["readOn"])
  }

  @Test func `an unknown genre is refused with the nearest`() throws {
    let id = try library.send("genre.add", ["name": "Science fiction"]).id
    try library.send("genre.add", ["name": "Poetry"])
    let book = try library.send("book.add", ["title": "Emma"]).id
    for problem in [
      try library.refusal("book.add", ["title": "Dune", "authors": ["New"], "genre": ["name": "Sience ficton"]]),
      try library.refusal("book.edit", ["book": JSON(book), "genre": ["name": "Sience ficton"]]),
    ] {
      #expect(problem.code == "unknown-genre")
      #expect(problem.status == 409)
      #expect(problem.json["nearest"] == ["id": JSON(id), "name": "Science fiction"])
      #expect(problem.detail == "There is no genre \"Sience ficton\"; did you mean \"Science fiction\"?")
    }
    let far = try library.refusal("book.add", ["title": "Dune", "genre": ["name": "Gardening"]])
    #expect(far.json["nearest"] == .null)
    #expect(far.detail == "There is no genre \"Gardening\"; add it first.")
    #expect(try library.refusal("book.add", ["title": "Dune", "genre": JSON(book)]).code == "not-found")
    #expect(try library.rows("SELECT count(*) FROM author") == ["0"])
  }

  @Test func `an absent field stays and null clears it`() throws {
    try library.send("genre.add", ["name": "Crime"])
    let book = try library.send("book.add", ["title": "a", "authors": ["B", "C"], "genre": ["name": "crime"]])
    let id = JSON(book.id)
    let titled = try library.send("book.edit", ["book": id, "title": "b"])
    #expect(titled.data[0] == ["id": id, "key": "b", "before": ["title": "a"], "after": ["title": "b"]])
    let cleared = try library.send("book.edit", ["book": id, "authors": nil, "genre": nil])
    #expect(cleared.types == ["book.edited"])
    #expect(cleared.data[0]["after"] == ["authors": [], "genre": nil])
    #expect(cleared.data[0]["before"]?["authors"] == book.data[2]["authors"])
    #expect(try library.rows("SELECT title, genre FROM book") == ["b | null"])
    #expect(try library.rows("SELECT count(*) FROM book_author") == ["0"])
    #expect(try library.refusal("book.edit", ["book": id, "title": nil]).fields == ["title"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `authors are replaced as a whole: new ones are added, and another order alone is no change`() throws {
    let book = try library.send("book.add", ["title": "a", "authors": ["B", "C"]])
    let id = JSON(book.id)
    #expect(try library.send("book.edit", ["book": id, "authors": ["c", "b"]]).types == [])
    let replaced = try library.send("book.edit", ["book": id, "authors": ["D", "B"]])
    #expect(replaced.types == ["author.added", "book.edited"])
    #expect(
      try library.rows("SELECT author.name FROM book_author JOIN author ON author.id = author ORDER BY position")
        == ["D", "B"])
    #expect(try library.rows("SELECT count(*) FROM author") == ["3"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a book's own values sent back change nothing`() throws {
    try library.send("genre.add", ["name": "Crime"])
    let id = try library.send(
      "book.add", ["title": "Café", "authors": ["B", "C"], "genre": ["name": "Crime"], "rating": 3, "review": "r"]
    ).id
    let same = try library.send(
      "book.edit",
      ["book": JSON(id), "title": "Cafe\u{301}", "authors": ["B", "c", "b"], "genre": ["name": "crime"]])
    #expect(same.types == [])
    #expect(same.id == id)
    #expect(try library.send("book.rate", ["book": JSON(id), "rating": 3, "review": " r "]).types == [])
    #expect(try library.send("book.edit", ["book": JSON(id)]).types == [])
  }

  @Test func `a removed book stays removed, whatever is asked of it, and its event holds all that it was`() throws {
    try library.send("genre.add", ["name": "Crime"])
    let book = try library.send(
      "book.add",
      ["title": "a", "authors": ["B"], "genre": ["name": "Crime"], "readOn": "2026-05-25", "rating": 1, "review": "r"])
    let gone = try library.send("book.remove", ["book": JSON(book.id)])
    #expect(gone.types == ["book.removed"])
    var last = try #require(book.data[1].object)
    last["key"] = nil
    #expect(gone.data[0] == ["id": JSON(book.id), "last": .object(last)])
    for verb in ["book.edit", "book.mark-read", "book.mark-unread", "book.rate", "book.remove"] {
      #expect(try library.refusal(verb, ["book": JSON(book.id)]).code == "not-found", "\(verb)")
    }
    #expect(try library.rows("SELECT count(*) FROM book") == ["0"])
    #expect(try library.rows("SELECT name FROM author") == ["B"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a book at every limit is added and removed whole`() throws {
    let authors = (100..<200).map { JSON.string(String(repeating: "😀", count: 197) + String($0)) }
    let review = String(repeating: "𝄞", count: 10_000)
    let added = try library.send(
      "book.add",
      ["title": .string(String(repeating: "𝄞", count: 200)), "review": .string(review), "authors": .array(authors)])
    #expect(try library.refusal("book.add", ["title": "b", "authors": .array(authors + ["x"])]).fields == ["authors"])
    let removed = try library.send("book.remove", ["book": JSON(added.id)])
    #expect(removed.data[0]["last"]?["authors"]?.array?.count == 100)
    #expect(removed.data[0]["last"]?["review"] == .string(review))
    #expect(removed.data[0].bytes.count < 512 * 1024)
  }

  @Test(arguments: ["👩‍👩‍👧‍👦 family", "שלום עולם", "e\u{301}\u{323}", "مرحبا 123", "한국어"])
  func `any script is kept as it is, in NFC`(title: String) throws {
    let done = try library.send("book.add", ["title": .string(title), "authors": [.string(title)]])
    let stored = try #require(done.data[1]["title"]?.string)
    #expect(Array(stored.utf8) == Array(Text.normalized(title).utf8))
    #expect(try library.rows("SELECT title FROM book").map { Array($0.utf8) } == [Array(stored.utf8)])
    #expect(try library.rows("SELECT name FROM author").map { Array($0.utf8) } == [Array(stored.utf8)])
  }
}
