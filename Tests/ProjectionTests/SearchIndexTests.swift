import Contracts
import Messaging
import Testing

/// The index over the endings of words, held against a plain look into every text.
@Suite struct SearchIndexTests {
  private typealias Written = (title: String, note: String)

  private static let texts: [Written] = [
    ("the the then", "other the"), ("O’Brien's o'brien", "brien"), ("Müller müller 2 * 3", "x2y 23"),
    ("牛乳を買う", "牛乳 牛乳"), ("ab", "ab ab"), ("a", "b a"), ("b a", "ab"), ("multi-agent agent", "re-agent, reagent"),
    ("pneumonoultramicroscopicsilicovolcanoconiosis", "silicovolcanoconiosis"),
    ("twenty-four-bytes-long-x", "twenty-four-bytes-long-xy"), ("一二三四五六七八九", "二三四五六七八九"),
    ("100% \"wool\"", "100 wool"), ("--- ***", "a-b_c.d"), ("to do", "potato dough"), ("to be done", "do to"),
    ("ﬁne ｗｉｄｅ", "e\u{301}clair"),
  ]

  @Test func `any part of any text finds what holds it, in the order of its ranks`() async throws {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.item.add.v1", Self.texts.map { ["title": .string($0.title), "note": .string($0.note)] })
    let keys = Self.texts.map { (title: Text.searchKey($0.title), note: Text.searchKey($0.note)) }
    let needles = Set(keys.flatMap { Self.parts($0.title) + Self.parts($0.note) })
    for needle in needles.sorted() {
      let found = keys.enumerated().compactMap { index, key -> (index: Int, rank: Int)? in
        let rank = Self.rank(needle, in: key.title) ?? Self.rank(needle, in: key.note).map { $0 + 4 }
        return rank.map { (index, $0) }
      }
      let titles = Self.texts.map(\.title.precomposedStringWithCanonicalMapping)
      let ranked = found.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map { titles[$0.index] }
      #expect(try await model.names("search", [("q", needle)]) == ranked, "\(needle)")
      #expect(try await model.names("items", [("q", needle)]) == found.map { titles[$0.index] }, "\(needle)")
    }
  }

  @Test func `an edit that keeps a word keeps it found, and what is gone is found no more`() async throws {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.item.add.v1", [["title": "buy milk", "note": "milk"], ["title": "drink milk"]])
    try model.send("tasks.item.edit.v1", ["item": ["name": "buy milk"], "title": "milk the cow"])
    #expect(try await model.names("search?q=milk") == ["milk the cow", "drink milk"])
    try model.send("tasks.item.edit.v1", ["item": ["name": "milk the cow"], "title": "feed the cow"])
    #expect(try await model.names("search?q=milk") == ["drink milk", "feed the cow"])
    try model.send("tasks.item.edit.v1", ["item": ["name": "feed the cow"], "note": nil])
    try model.send("tasks.item.delete.v1", ["item": ["name": "drink milk"]])
    for path in ["search?q=milk", "search?q=drink", "search?q=nk mi", "items?q=milk"] {
      #expect(try await model.get(path)["count"] == 0, "\(path)")
    }
    try model.send("tasks.item.add.v1", ["title": "milk"])
    #expect(try await model.names("search?q=milk") == ["milk"])
    try model.db.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
  }

  @Test func `a name with its parts turned round ranks as a name`() async throws {
    let model = try await ReadModelFixture()
    try model.sendAll(
      "visitorlog.visitor.register.v1",
      [
        ["firstName": "Ada", "lastName": "Lovelace"], ["firstName": "Mc", "lastName": "Adams"], ["lastName": "Ada"],
        ["firstName": "Grace", "lastName": "Nevada"],
      ])
    let found = try await model.rows("search?q=ada").map { $0["title"]?.string }
    #expect(found == ["Ada", "Lovelace, Ada", "Adams, Mc", "Nevada, Grace"])
  }

  @Test func `workspaces whose rows stand in one range do not see one another`() async throws {
    var names: [Int: String] = [:]
    var both: [String] = []
    while both.isEmpty {
      let name = "w\(names.count)"
      let hash = Workspace.partition(of: name, count: 1 << 19)
      if let other = names.updateValue(name, forKey: hash) { both = [other, name] }
    }
    let model = try await ReadModelFixture()
    try model.send("tasks.item.add.v1", ["title": "milk", "tags": ["milky"]], workspace: both[0])
    for path in ["search?q=milk", "search?q=mi", "items?q=milk", "items?q=buy milk"] {
      #expect(try await model.get("\(path)&workspace=\(both[1])")["count"] == 0, "\(path)")
    }
    try model.send("tasks.item.add.v1", ["title": "buy milk"], workspace: both[1])
    #expect(try await model.names("search?q=milk&workspace=\(both[0])") == ["milk", "milky"])
    #expect(try await model.names("search?q=milk&workspace=\(both[1])") == ["buy milk"])
    #expect(try await model.names("items?q=milk&workspace=\(both[1])") == ["buy milk"])
  }

  /// Some parts of a text: from every character on, of several lengths. None begins or ends with a space, which a search
  /// would leave out.
  private static func parts(_ key: String) -> [String] {
    let scalars = Array(key.unicodeScalars)
    return scalars.indices.flatMap { start in
      [1, 2, 3, 5, 8, 13, 23, 24, 25, 40].compactMap { length -> String? in
        guard start + length <= scalars.count, scalars[start] != " ", scalars[start + length - 1] != " " else {
          return nil
        }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[start..<start + length])
        return String(part)
      }
    }
  }

  private static func rank(_ needle: String, in key: String) -> Int? {
    let (needle, key) = (Array(needle.utf8), Array(key.utf8))
    guard needle.count <= key.count else { return nil }
    let places = (0...key.count - needle.count).filter { Array(key[$0..<$0 + needle.count]) == needle }
    guard let first = places.first else { return nil }
    if first == 0 { return needle == key ? 0 : 1 }
    let isLetter = { (byte: UInt8) in byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) }
    return places.contains { !isLetter(key[$0 - 1]) } ? 2 : 3
  }
}
