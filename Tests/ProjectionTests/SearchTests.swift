import Foundation
import Messaging
import Testing

@Suite struct SearchTests {
  /// What is searched for, and what is found among the words below.
  @Test(
    arguments: [
      ("munoz", "Muñoz"), ("MÜLLER", "Müller"), ("елка", "Ёлка"), ("lukasz", "Łukasz"), ("soren", "Søren"),
      ("O'Brien", "O’Brien"), ("ull", "Müller"), ("%", "100% wool"), ("_", "snake_case"), ("don't", "I don't"),
      ("multi-agent", "a multi-agent plan"), ("\"", "say \"hi\""), ("*", "2 * 3"), ("NEAR(", "near(by)"),
      ("=", "a = b"), ("-", "a multi-agent plan"), ("a AND", "a and b"), ("100% wool", "100% wool"),
      ("100 wool", "100 wool"), ("ＷＯＯＬ", "100% wool, 100 wool"), ("  i   DON’T ", "I don't"), ("y\"x", ""),
      ("zzz", ""), ("OR", "Søren"), ("'", "I don't, O’Brien"), ("\\", ""), ("{", ""), (":", "title:x"),
      ("e:x", "title:x"),
      ("^", ""),
    ] as [(String, String)])
  func `every character stands for itself, whatever its case, accents and width`(text: String, found: String)
    async throws
  {
    let model = try await ReadModelFixture()
    let words = [
      "Muñoz", "Müller", "Ёлка", "Łukasz", "Søren", "O’Brien", "100% wool", "100 wool", "snake_case", "I don't",
      "a multi-agent plan", "say \"hi\"", "2 * 3", "near(by)", "a = b", "a and b", "title:x",
    ]
    try model.sendAll("tasks.item.add.v1", words.map { ["title": .string($0)] })
    #expect(Set(try await model.names("search?q=\(text)")) == Set(found.components(", ")))
    #expect(Set(try await model.names("items?q=\(text)")) == Set(found.components(", ")))
    #expect(try await model.get("search?q=\(text)")["count"] == JSON(found.components(", ").count))
  }

  @Test func `accents are no difference`() async throws {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.item.add.v1", ["Á", "A", "á", "a"].map { ["title": .string($0)] })
    #expect(try await model.names("search?q=a") == ["Á", "A", "á", "a"])
    #expect(try await model.names("items?q=Á") == ["Á", "A", "á", "a"])
  }

  @Test func `everything is found by its name, and items and books by what they belong to`() async throws {
    let model = try await ReadModelFixture()
    try model.send("tasks.project.create.v1", ["name": "Milk round"])
    try model.send("tasks.item.add.v1", ["title": "Wash bottles", "project": ["name": "Milk round"]])
    try model.send("tasks.item.add.v1", ["title": "Buy milk", "tags": ["milky"]])
    try model.send("tasks.item.add.v1", ["title": "Shop", "note": "bread, butter, milk"])
    try model.send("library.genre.add.v1", ["name": "Milk studies"])
    try model.send(
      "library.book.add.v1", ["title": "Cows", "authors": ["Harvey Milk"], "genre": ["name": "Milk studies"]])
    try model.send("visitorlog.visitor.register.v1", ["firstName": "Milk", "lastName": "Man"])
    try model.send("visitorlog.badge.add.v1", ["number": "MILK-1"])
    let hits = try await model.rows("search?q=milk")
    let shown = hits.map { "\($0["kind"]?.string ?? "") \($0["title"]?.string ?? ""): \($0["match"]?.string ?? "")" }
    #expect(
      shown == [
        "project Milk round: [Milk] round", "tag milky: [milk]y", "genre Milk studies: [Milk] studies",
        "visitor Man, Milk: [Milk] Man", "badge MILK-1: [MILK]-1", "item Buy milk: Buy [milk]",
        "author Harvey Milk: Harvey [Milk]", "item Wash bottles: [Milk] round", "book Cows: [Milk] studies",
        "item Shop: bread, butter, [milk]",
      ])
    #expect(try await model.names("search?q=milk&kind=item&kind=book") == ["Buy milk", "Wash bottles", "Cows", "Shop"])
    #expect(try await model.names("items?q=milk") == ["Wash bottles", "Buy milk", "Shop"])
    #expect(try await model.names("books?q=milk") == ["Cows"])
  }

  @Test func `the whole name comes first, then its beginning, a word's beginning, anything, then other fields`()
    async throws
  {
    let model = try await ReadModelFixture()
    try model.sendAll(
      "tasks.item.add.v1",
      [
        ["title": "other", "note": "oil"], ["title": "boil"], ["title": "hot oil"], ["title": "oil change"],
        ["title": "Oil"], ["title": "un-oiled"],
      ])
    #expect(try await model.names("search?q=oil") == ["Oil", "oil change", "hot oil", "un-oiled", "boil", "other"])
  }

  /// A title, what is searched for, and the match as it is marked.
  @Test(
    arguments: [
      ("Buy milk", "MILK", "Buy [milk]"), ("Łukasz Kowalski", "lukasz", "[Łukasz] Kowalski"),
      ("Caffè e\u{300} latte", "caffe", "[Caffè] è latte"), ("Straße 5", "strasse", "[Straße] 5"),
      ("Straße", "s", "[S]traße"), ("Große", "s", "Gro[ß]e"), ("a  b", "a b", "[a  b]"),
      ("👩‍👩‍👧‍👦 family", "family", "👩‍👩‍👧‍👦 [family]"), ("O’Brien", "o'b", "[O’B]rien"),
      ("ﬁne", "fine", "[ﬁne]"), ("boil oil", "oil", "boil [oil]"), ("１２３", "23", "１[２３]"),
    ] as [(String, String, String)])
  func `the matching part of the original text is marked`(title: String, text: String, match: String) async throws {
    let model = try await ReadModelFixture()
    try model.send("tasks.item.add.v1", ["title": .string(title)])
    let hit = try #require(try await model.rows("search?q=\(text)").first)
    #expect(hit["match"]?.string == match)
    #expect(hit["title"]?.string == title.precomposedStringWithCanonicalMapping)
  }

  @Test func `of a long note only the surroundings of the match are shown, on one line`() async throws {
    let model = try await ReadModelFixture()
    let note =
      String(repeating: "word ", count: 100) + "first line\nneedle\tthere\n" + String(repeating: "more ", count: 100)
    try model.send("tasks.item.add.v1", ["title": "x", "note": .string(note)])
    let match = try #require(try await model.rows("search?q=needle").first?["match"]?.string)
    #expect(match.hasPrefix("…") && match.hasSuffix("…") && match.count < 150)
    #expect(match.contains("first line [needle] there more"))
  }

  @Test func `what is renamed is found by the new name, and no longer by the old one`() async throws {
    let model = try await ReadModelFixture()
    try model.send("tasks.item.add.v1", ["title": "x", "tags": ["urgent"]])
    try model.send("tasks.tag.rename.v1", ["tag": ["name": "urgent"], "name": "pressing"])
    #expect(try await model.get("search?q=urgent")["count"] == 0)
    #expect(try await model.names("search?q=pressing") == ["pressing", "x"])
    try model.send("tasks.item.edit.v1", ["item": ["name": "x"], "title": "why", "note": "because"])
    #expect(try await model.names("search?q=because") == ["why"])
    try model.send("tasks.item.edit.v1", ["item": ["name": "why"], "note": nil])
    #expect(try await model.get("search?q=because")["count"] == 0)
  }

  @Test func `workspaces do not see one another`() async throws {
    let model = try await ReadModelFixture()
    for workspace in ["main", "work", "a.b-c_d"] {
      try model.send("tasks.item.add.v1", ["title": .string("milk of \(workspace)")], workspace: workspace)
    }
    #expect(try await model.names("search?q=milk") == ["milk of main"])
    #expect(try await model.names("search?q=mi&workspace=work") == ["milk of work"])
    #expect(try await model.names("items?q=milk&workspace=a.b-c_d") == ["milk of a.b-c_d"])
    #expect(try await model.get("items?workspace=nowhere")["items"] == [])
    let workspaces = try await model.get("workspaces")
    #expect(workspaces["items"]?.array?.compactMap { $0["name"]?.string } == ["a.b-c_d", "main", "work"])
    #expect(workspaces["items"]?.array?.allSatisfy { $0["items"] == 1 } == true)
    let paged = try await model.pages("workspaces", [], of: 1)
    #expect(.array(paged) == workspaces["items"])
  }

  @Test func `a blank search finds everything`() async throws {
    let model = try await ReadModelFixture()
    try model.send("tasks.item.add.v1", ["title": "x", "tags": ["t"]])
    #expect(try await model.names("search?q= ") == ["x", "t"])
    #expect(try await model.pages("search?q=", [], of: 1).count == 2)
  }
}
