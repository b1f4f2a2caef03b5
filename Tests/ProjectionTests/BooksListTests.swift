import Messaging
import Testing

@Suite struct BooksListTests {
  private func shelf() async throws -> ReadModelFixture {
    let model = try await ReadModelFixture()
    try model.sendAll("library.genre.add.v1", [["name": "Science fiction"], ["name": "Essay"]])
    try model.sendAll(
      "library.book.add.v1",
      [
        [
          "title": "Dune", "authors": ["Frank Herbert"], "genre": ["name": "science fiction"], "rating": 5,
          "readOn": "2026-01-02",
        ],
        ["title": "Good Omens", "authors": ["Terry Pratchett", "Neil Gaiman"], "rating": 4],
        ["title": "Walden", "authors": ["Henry Thoreau"], "genre": ["name": "Essay"], "review": "Slow, but fine."],
        ["title": "Beowulf", "isRead": true],
      ])
    return model
  }

  /// Titles in order, for a query.
  @Test(
    arguments: [
      ("", "Beowulf, Dune, Good Omens, Walden"), ("sort=addedAt", "Dune, Good Omens, Walden, Beowulf"),
      ("author=neil gaiman", "Good Omens"), ("author=none", "Beowulf"),
      ("author=Neil Gaiman&author=Terry Pratchett", "Good Omens"),
      ("author=any", "Dune, Good Omens, Walden"), ("genre=Essay", "Walden"),
      ("genre=none", "Beowulf, Good Omens"), ("genre=any", "Dune, Walden"),
      ("read=true", "Beowulf, Dune"), ("read=false", "Good Omens, Walden"), ("rating=5", "Dune"),
      ("rating=none", "Beowulf, Walden"), ("rating=any", "Dune, Good Omens"),
      ("q=HERBERT", "Dune"), ("q=fiction", "Dune"), ("q=slow", "Walden"),
      ("q=é", "Beowulf, Dune, Good Omens, Walden"),
      ("sort=-rating", "Dune, Good Omens, Beowulf, Walden"),
      ("sort=rating", "Good Omens, Dune, Walden, Beowulf"),
      ("sort=author", "Dune, Walden, Good Omens, Beowulf"),
      ("sort=genre,title", "Walden, Dune, Beowulf, Good Omens"),
      ("name=dune", "Dune"),
    ] as [(String, String)])
  func `books are filtered and sorted`(query: String, titles: String) async throws {
    let model = try await shelf()
    let found = try await model.names("books?\(query)")
    #expect(found == titles.components(", "))
    #expect(try await model.get("books?\(query)")["count"] == JSON(found.count))
  }

  @Test func `a genre that is removed leaves its books, and no book is of it`() async throws {
    let model = try await shelf()
    let genre = try #require(try await model.rows("genres", [("name", "essay")]).first?["id"]?.string)
    #expect(try await model.rows("genres", [("name", "essay")])[0]["bookCount"] == 1)
    try model.send("library.genre.remove.v1", ["genre": .string(genre)])
    #expect(try await model.names("books", [("genre", genre)]) == [])
    #expect(try await model.names("books", [("genre", "Essay")]) == [])
    #expect(try await model.names("books", [("genre", "any")]) == ["Dune"])
    #expect(try await model.rows("books", [("name", "Walden")])[0]["genre"] == .null)
    #expect(try await model.get("search", [("q", "essay")])["count"] == 0)
  }

  @Test func `authors come by name, and leave their books when they are detached`() async throws {
    let model = try await shelf()
    let book = try await model.rows("books", [("q", "omens")])[0]
    #expect(book["authors"]?.array?.compactMap { $0["name"]?.string } == ["Neil Gaiman", "Terry Pratchett"])
    try model.send("library.author.remove.v1", ["author": ["name": "Neil Gaiman"]], accepted: false)
    try model.send("library.author.remove.v1", ["author": ["name": "Neil Gaiman"], "detach": true])
    #expect(
      try await model.rows("books", [("q", "omens")])[0]["authors"]?.array?.compactMap { $0["name"]?.string }
        == ["Terry Pratchett"])
    #expect(try await model.names("authors") == ["Frank Herbert", "Henry Thoreau", "Terry Pratchett"])
  }

  @Test func `a book is as its last edit left it`() async throws {
    let model = try await shelf()
    let book: JSON = ["name": "Dune"]
    try model.send(
      "library.book.edit.v1",
      ["book": book, "title": "Dune Messiah", "authors": ["Herbert, Frank", "Neil Gaiman"], "genre": nil])
    try model.send("library.book.mark-unread.v1", ["book": ["name": "Dune Messiah"]])
    try model.send("library.book.rate.v1", ["book": ["name": "Dune Messiah"], "rating": nil, "review": "Later."])
    try model.send("library.author.rename.v1", ["author": ["name": "Herbert, Frank"], "name": "F. Herbert"])
    let row = try await model.rows("books", [("q", "later")])[0]
    #expect(row["title"] == "Dune Messiah")
    #expect(row["authors"]?.array?.compactMap { $0["name"]?.string } == ["F. Herbert", "Neil Gaiman"])
    #expect(row["genre"] == .null)
    #expect(row["isRead"] == false)
    #expect(row["readOn"] == .null)
    #expect(row["rating"] == .null)
    #expect(try await model.rows("authors", [("name", "Frank Herbert")])[0]["bookCount"] == 0)
    #expect(try await model.rows("authors", [("name", "neil gaiman")])[0]["bookCount"] == 2)
    #expect(try await model.rows("genres", [("sort", "-bookCount")])[0]["name"] == "Essay")
    try model.send("library.book.remove.v1", ["book": ["name": "Dune Messiah"]])
    #expect(try await model.rows("authors", [("name", "F. Herbert")])[0]["bookCount"] == 0)
    #expect(try await model.get("books", [("q", "dune")])["count"] == 0)
  }
}

extension String {
  /// The parts between separators; none of an empty text.
  func components(_ separator: String) -> [String] { isEmpty ? [] : split(separator: separator).map(String.init) }
}
