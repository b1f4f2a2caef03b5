import Contracts
import LibraryService
import Messaging
import TestSupport
import Testing

/// What every command of the service has in common.
struct RefusalTests {
  let library: LibraryTester
  init() throws { library = try LibraryTester() }

  @Test(arguments: [
    "", "   ", "\n\t", String(repeating: "a", count: 201), "e" + String(repeating: "\u{327}\u{301}", count: 150),
    "a\u{1}b", "a\nb", "a\u{7f}b",
  ])
  func `a name that is blank, too long or holds control characters is refused, naming its field`(name: String) throws {
    let book = JSON(try library.send("book.add", ["title": "Dune", "authors": ["Frank Herbert"]]).id)
    let cases: [(String, JSON, String)] = [
      ("book.add", ["title": .string(name)], "title"),
      ("book.add", ["title": "a", "authors": ["B", .string(name)]], "authors"),
      ("book.edit", ["book": book, "title": .string(name)], "title"),
      ("book.edit", ["book": book, "authors": [.string(name)]], "authors"),
      ("author.rename", ["author": ["name": "Frank Herbert"], "name": .string(name)], "name"),
      ("genre.add", ["name": .string(name)], "name"),
    ]
    for (verb, data, field) in cases {
      let problem = try library.refusal(verb, data)
      #expect(problem.code == "invalid")
      #expect(problem.status == 422)
      #expect(problem.fields == [field])
    }
  }

  @Test func `a review may hold lines but has its limit`() throws {
    try library.send("book.add", ["title": "a", "review": .string(String(repeating: "x\n", count: 5000))])
    let long = JSON.string(String(repeating: "x", count: 10_001))
    #expect(try library.refusal("book.add", ["title": "a", "review": long]).fields == ["review"])
    #expect(try library.refusal("book.rate", ["book": ["name": "a"], "review": long]).fields == ["review"])
    let huge = JSON.string(String(repeating: "x", count: 300 * 1024))
    #expect(try library.refusal("book.add", ["title": "a", "review": huge]).code == "too-large")
  }

  @Test func `an unknown command is refused with the nearest`() throws {
    let problem = try library.refusal("book.ad", [:])
    #expect(problem.fields == ["type"])
    #expect(problem.detail.contains("did you mean library.book.add.v1?"))
  }

  @Test func `an id that is no UUID, of another kind, or of another workspace`() throws {
    let genre = try library.send("genre.add", ["name": "g"]).id
    let book = try library.send("book.add", ["title": "a", "authors": ["b"]], in: "other").id
    #expect(try library.refusal("book.mark-read", ["book": "12"]).fields == ["book"])
    #expect(try library.refusal("book.mark-read", ["book": JSON(genre)]).code == "not-found")
    #expect(try library.refusal("book.mark-read", ["book": JSON(book)]).code == "not-found")
    #expect(try library.refusal("book.mark-read", ["book": ["name": "a"]]).code == "not-found")
    #expect(try library.refusal("author.rename", ["author": ["name": "b"], "name": "c"]).code == "not-found")
  }

  @Test func `an id is taken when anything that lives in the workspace holds it`() throws {
    let id = MessageID.next()
    try library.send("book.add", ["title": "a", "id": JSON(id)])
    try library.send("book.add", ["title": "a", "id": JSON(id)], in: "other")
    #expect(try library.rows("SELECT workspace FROM book ORDER BY 1") == ["main", "other"])
    for (verb, field) in [("book.add", "title"), ("genre.add", "name")] {
      let problem = try library.refusal(verb, [field: "b", "id": JSON(id)])
      #expect(problem.code == "id-taken")
      #expect(problem.status == 409)
      #expect(problem.json["existing"] == JSON(id))
    }
    try library.send("book.remove", ["book": JSON(id)])
    try library.send("genre.add", ["name": "b", "id": JSON(id)])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `two workspaces have genres and authors of their own`() throws {
    for workspace in ["main", "other"] {
      try library.send("genre.add", ["name": "Crime"], in: workspace)
      try library.send("book.add", ["title": "a", "authors": ["B"], "genre": ["name": "crime"]], in: workspace)
    }
    try library.send("genre.remove", ["genre": ["name": "Crime"]], in: "other")
    #expect(
      try library.rows("SELECT book.workspace, name FROM book LEFT JOIN genre ON genre.id = genre ORDER BY 1")
        == ["main | Crime", "other | null"])
    #expect(try library.differenceFromFold() == nil)
  }

  @Test func `of two edits with one sequence the second is refused`() throws {
    // author.added 1, book.added 2
    let book = JSON(try library.send("book.add", ["title": "a", "authors": ["b"]]).id)
    try library.send("book.edit", ["book": book, "title": "b", "ifSequence": 2])
    let problem = try library.refusal("book.edit", ["book": book, "title": "c", "ifSequence": 2])
    #expect(problem.code == "changed-since")
    #expect(problem.json["sequence"] == 4)
    #expect(try library.rows("SELECT title FROM book") == ["b"])
  }

  @Test func `every edit and removal takes a sequence`() throws {
    try library.send("genre.add", ["name": "g"])
    try library.send("book.add", ["title": "b", "authors": ["a"]])
    for command in CommandCatalogue.library.commands where command[field: "ifSequence"] != nil {
      var data: JSONObject = ["ifSequence": 999]
      for field in command.fields where field.isRequired {
        data[field.name] =
          switch field.kind {
          case .reference("book"): ["name": "b"]
          case .reference("author"): ["name": "a"]
          case .reference("genre"): ["name": "g"]
          default: "x"
          }
      }
      #expect(try library.refusal(String(command.verb), .object(data)).code == "changed-since", "\(command.type)")
    }
  }

  @Test func `a title that several books have is ambiguous, and the candidates tell them apart`() throws {
    try library.send("genre.add", ["name": "Crime"])
    let one = try library.send("book.add", ["title": "Selected Poems", "authors": ["T. S. Eliot", "A, B"]])
    let two = try library.send("book.add", ["title": "selected poems", "genre": ["name": "Crime"]])
    let problem = try library.refusal("book.remove", ["book": ["name": "Selected Poems"]])
    #expect(problem.code == "ambiguous")
    #expect(problem.json["count"] == 2)
    let candidates = try #require(problem.json["candidates"]?.array)
    #expect(candidates.map { $0["id"] } == [JSON(one.id), JSON(two.id)])
    #expect(candidates[0]["authors"] == ["T. S. Eliot", "A, B"])
    #expect(candidates[1]["authors"] == [])
    #expect(candidates[1]["genre"]?["name"] == "Crime")
  }

  @Test func `a command takes exactly the fields that the catalogue lists`() throws {
    for command in CommandCatalogue.library.commands {
      var data: JSONObject = ["nonsense": 1]
      for field in command.fields { data[field.name] = .number(1.5) }
      let problem = try library.refusal(String(command.verb), .object(data))
      #expect(Set(problem.fields) == Set(command.fields.map(\.name)).union(["nonsense"]), "\(command.type)")
      let missing = try library.refusal(String(command.verb), [:])
      #expect(missing.fields == command.fields.filter(\.isRequired).map(\.name), "\(command.type)")
    }
  }

  @Test func `a command sent again gets its first answer and does nothing`() throws {
    let id = MessageID.next()
    let data: JSON = ["title": "Dune", "authors": ["Frank Herbert"]]
    let first = try library.owner.send("library.book.add.v1", data, id: id)
    let again = try library.owner.send("library.book.add.v1", data, id: id)
    #expect(again.isRepeat)
    #expect(again.events == [])
    #expect(again.decision.answer.bytes == first.decision.answer.bytes)
    #expect(try library.rows("SELECT count(*) FROM book") == ["1"])
  }

  @Test(arguments: [#"{"title":"a","title":"b"}"#, #"{"title":"a",}"#, #"{"title":"a\u0000"}"#, #"["title"]"#, ""])
  func `data that is not the JSON asked for is malformed`(text: String) throws {
    #expect(try library.owner.send("library.book.add.v1", bytes: Array(text.utf8)).code == "malformed")
    #expect(try library.rows("SELECT count(*) FROM book") == ["0"])
  }
}
