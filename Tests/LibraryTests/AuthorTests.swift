import LibraryService
import Messaging
import TestSupport
import Testing

struct AuthorTests {
  let library: LibraryTester
  init() throws { library = try LibraryTester() }

  private func addTwoBooks() throws {
    try library.send("book.add", ["title": "Dune", "authors": ["Frank Herbert", "Brian Herbert"]])
    try library.send("book.add", ["title": "Dune Messiah", "authors": ["Frank Herbert"]])
    try library.send("book.add", ["title": "Emma", "authors": ["Jane Austen"]])
  }

  @Test func `an author of two books stays, with the count, and the next command works`() throws {
    try addTwoBooks()
    let problem = try library.refusal("author.remove", ["author": ["name": "frank herbert"]])
    #expect(problem.code == "author-in-use")
    #expect(problem.status == 409)
    #expect(problem.json["count"] == 2)
    #expect(problem.detail == "2 books name the author \"Frank Herbert\"; detach them to remove.")
    #expect(try library.rows("SELECT count(*) FROM author") == ["3"])
    #expect(try library.rows("SELECT count(*) FROM book_author") == ["4"])
    try library.send("author.rename", ["author": ["name": "Frank Herbert"], "name": "F. Herbert"])
  }

  @Test func `with detach each book loses the author first, and keeps the others in their order`() throws {
    try addTwoBooks()
    let done = try library.send("author.remove", ["author": ["name": "Frank Herbert"], "detach": true])
    #expect(done.types == ["book.author-detached", "book.author-detached", "author.removed"])
    #expect(done.data[0]["book"]?["name"] == "Dune")
    #expect(done.data[1]["author"] == ["id": JSON(done.id), "name": "Frank Herbert"])
    #expect(
      done.data[2] == [
        "id": JSON(done.id), "last": ["id": JSON(done.id), "name": "Frank Herbert"], "counts": ["books": 2],
      ])
    #expect(
      try library.rows(
        "SELECT title, author.name FROM book LEFT JOIN book_author ON book = book.id LEFT JOIN author ON author.id = author ORDER BY book.created"
      )
        == ["Dune | Brian Herbert", "Dune Messiah | null", "Emma | Jane Austen"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `an author whom no book names goes`() throws {
    try addTwoBooks()
    try library.send("book.remove", ["book": ["name": "Emma"]])
    #expect(try library.send("author.remove", ["author": ["name": "Jane Austen"]]).types == ["author.removed"])
    #expect(try library.refusal("author.remove", ["author": ["name": "Jane Austen"]]).code == "not-found")
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `a name that another author has is refused with the holder`() throws {
    try addTwoBooks()
    let problem = try library.refusal("author.rename", ["author": ["name": "Jane Austen"], "name": "FRANK HERBERT"])
    #expect(problem.code == "author-name-taken")
    let holder = try library.rows("SELECT id FROM author WHERE name = 'Frank Herbert'")
    #expect(problem.json["existing"]?.string == holder.first)
  }

  @Test func `an author may change the letter case of their own name`() throws {
    try addTwoBooks()
    let done = try library.send("author.rename", ["author": ["name": "jane austen"], "name": "Jane AUSTEN"])
    #expect(
      done.data == [
        [
          "id": JSON(done.id), "key": "jane austen", "before": ["name": "Jane Austen"],
          "after": ["name": "Jane AUSTEN"],
        ]
      ])
    #expect(try library.send("author.rename", ["author": JSON(done.id), "name": "Jane AUSTEN"]).types == [])
    try library.send("author.rename", ["author": JSON(done.id), "name": "J. A."])
    try library.send("book.add", ["title": "Persuasion", "authors": ["j. a."]])
    #expect(try library.rows("SELECT count(*) FROM author") == ["3"])
    #expect(try library.differenceFromFold() == nil)
  }
}
