import LibraryService
import Messaging
import TestSupport
import Testing

struct GenreTests {
  let library: LibraryTester
  init() throws { library = try LibraryTester() }

  @Test func `a genre is added under an id of its own`() throws {
    let id = MessageID.next()
    let done = try library.send("genre.add", ["name": " Science  fiction ", "id": JSON(id)])
    #expect(done.data == [["id": JSON(id), "name": "Science  fiction", "key": "science fiction"]])
  }

  @Test(arguments: [("Café", "CAFÉ"), ("Café", "Cafe\u{301}"), ("Café", " café "), ("АБВ", "абв"), ("a b", "A \t b")])
  func `a name that a genre has is refused with the holder, on add and on rename`(name: String, same: String) throws {
    let holder = try library.send("genre.add", ["name": .string(name)]).id
    try library.send("genre.add", ["name": "Cafe"])
    for problem in [
      try library.refusal("genre.add", ["name": .string(same.replacing("\t", with: " "))]),
      try library.refusal(
        "genre.rename", ["genre": ["name": "cafe"], "name": .string(same.replacing("\t", with: " "))]),
    ] {
      #expect(problem.code == "genre-name-taken")
      #expect(problem.json["existing"] == JSON(holder))
    }
  }

  @Test(arguments: ["none", "Any", " NONE "])
  func `a word that lists take for themselves is no genre's name`(_ name: String) throws {
    try library.send("genre.add", ["name": "Crime"])
    for problem in [
      try library.refusal("genre.add", ["name": .string(name)]),
      try library.refusal("genre.rename", ["genre": ["name": "Crime"], "name": .string(name)]),
    ] {
      #expect(problem.code == "invalid")
      #expect(problem.fields == ["name"])
    }
  }

  @Test func `a genre renamed keeps its books`() throws {
    let id = try library.send("genre.add", ["name": "Sci-fi"]).id
    try library.send("book.add", ["title": "Dune", "genre": ["name": "sci-fi"]])
    let done = try library.send("genre.rename", ["genre": JSON(id), "name": "Science fiction"])
    #expect(done.types == ["genre.renamed"])
    #expect(try library.send("genre.rename", ["genre": JSON(id), "name": "Science fiction"]).types == [])
    #expect(
      try library.rows("SELECT title, name FROM book JOIN genre ON genre.id = genre") == ["Dune | Science fiction"])
    #expect(
      try library.refusal("book.edit", ["book": ["name": "Dune"], "genre": ["name": "Sci-fi"]]).code == "unknown-genre")
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `books that have a removed genre stay without one`() throws {
    let genre = try library.send("genre.add", ["name": "Crime"]).id
    for title in ["a", "b", "c"] {
      try library.send("book.add", ["title": .string(title), "genre": ["name": "Crime"]])
    }
    try library.send("book.add", ["title": "d"])
    let done = try library.send("genre.remove", ["genre": ["name": "crime"]])
    #expect(done.types == ["book.genre-cleared", "book.genre-cleared", "book.genre-cleared", "genre.removed"])
    #expect(done.data.dropLast().map { $0["book"]?["name"] } == ["a", "b", "c"])
    #expect(done.data[0]["genre"] == ["id": JSON(genre), "name": "Crime"])
    #expect(done.data[3]["counts"] == ["books": 3])
    #expect(
      try library.rows("SELECT title, genre FROM book ORDER BY title") == [
        "a | null", "b | null", "c | null", "d | null",
      ])
    #expect(try library.refusal("genre.remove", ["genre": JSON(genre)]).code == "not-found")
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a book has changed when it lost its genre or an author`() throws {
    try library.send("genre.add", ["name": "Crime"])
    let added = try library.send("book.add", ["title": "a", "authors": ["B"], "genre": ["name": "Crime"]])
    let book = JSON(added.id)
    var last = added.sequence
    for (verb, data) in [
      ("genre.remove", ["genre": ["name": "Crime"]]), ("author.remove", ["author": ["name": "B"], "detach": true]),
    ] as [(String, JSON)] {
      let lost = try library.send(verb, data)
      let problem = try library.refusal("book.mark-read", ["book": book, "ifSequence": .integer(last)])
      #expect(problem.code == "changed-since")
      last = lost.sequence - 1
      #expect(problem.json["sequence"] == .integer(last))
    }
    try library.send("book.mark-read", ["book": book, "ifSequence": .integer(last)])
  }

  @Test func `a genre removed and added again is another genre, each time`() throws {
    var ids: Set<MessageID?> = []
    for _ in 0..<3 {
      ids.insert(try library.send("genre.add", ["name": "Crime"]).id)
      try library.send("genre.remove", ["genre": ["name": "Crime"]])
    }
    #expect(ids.count == 3)
    #expect(try library.differenceFromFold() == nil)
  }
}
