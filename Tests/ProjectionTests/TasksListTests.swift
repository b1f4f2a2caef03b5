import Foundation
import Messaging
import Testing

@Suite struct TasksListTests {
  @Test func `an item carries its project, and its tags by name`() async throws {
    let model = try await ReadModelFixture()
    let project = try model.send("tasks.project.create.v1", ["name": "House chores", "place": "home"])
    let item = try model.send(
      "tasks.item.add.v1",
      [
        "title": "Buy milk", "project": ["name": "House chores"], "tags": ["urgent", "Éclair", "b"],
        "dueOn": "2026-05-25",
      ])
    let answer = try await model.get("items/\(item)")
    #expect(answer["id"] == JSON(item))
    #expect(answer["title"] == "Buy milk")
    #expect(answer["note"] == .null)
    #expect(answer["project"] == ["id": JSON(project), "name": "House chores"])
    #expect(answer["tags"]?.array?.compactMap { $0["name"]?.string } == ["b", "Éclair", "urgent"])
    #expect(answer["dueOn"] == "2026-05-25")
    #expect(answer["isCompleted"] == false)
    #expect(answer["completedAt"] == .null)
    let list = try await model.get("items")
    #expect(list["items"] == .array([answer]))
    #expect(list["count"] == 1)
    #expect(list["next"] == .null)
    #expect(list["asOf"] == ["tasks/0": try model.sequence("tasks")])
  }

  @Test func `lists inside what is new are empty, never null or absent`() async throws {
    let model = try await ReadModelFixture()
    let project = try model.send("tasks.project.create.v1", ["name": "Garden"])
    let item = try model.send("tasks.item.add.v1", ["title": "Dig"])
    let book = try model.send("library.book.add.v1", ["title": "Dune"])
    let visitor = try model.send("visitorlog.visitor.register.v1", ["lastName": "Lovelace"])
    #expect(try await model.get("projects/\(project)")["items"] == [])
    #expect(try await model.get("items/\(item)")["tags"] == [])
    #expect(try await model.get("books/\(book)")["authors"] == [])
    #expect(try await model.get("visitors/\(visitor)")["visits"] == [])
    #expect(try await model.rows("visitors")[0]["visits"] == [])
    for list in ["badges", "visits", "genres", "authors", "tags"] {
      #expect(try await model.get(list)["items"] == [])
    }
  }

  @Test func `a project counts its items and those that are done, through every change`() async throws {
    let model = try await ReadModelFixture()
    let a = try model.send("tasks.project.create.v1", ["name": "A"])
    let b = try model.send("tasks.project.create.v1", ["name": "B"])
    func counts() async throws -> [String] {
      try await model.rows("projects", [("sort", "name")]).map {
        "\($0["name"]?.string ?? "") \($0["itemCount"]?.text ?? "")/\($0["doneCount"]?.text ?? "")"
      }
    }
    let one = try model.send("tasks.item.add.v1", ["title": "one", "project": JSON(a)])
    let two = try model.send(
      "tasks.item.add.v1", ["title": "two", "project": JSON(a), "completedAt": "2026-05-25T08:30:00Z"])
    #expect(try await counts() == ["A 2/1", "B 0/0"])
    try model.send("tasks.item.complete.v1", ["item": JSON(one)])
    #expect(try await counts() == ["A 2/2", "B 0/0"])
    try model.send("tasks.item.move.v1", ["item": JSON(one), "project": JSON(b)])
    #expect(try await counts() == ["A 1/1", "B 1/1"])
    try model.send("tasks.item.reopen.v1", ["item": JSON(one)])
    try model.send("tasks.item.move.v1", ["item": JSON(two), "project": nil])
    #expect(try await counts() == ["A 0/0", "B 1/0"])
    try model.send("tasks.item.delete.v1", ["item": JSON(one)])
    #expect(try await counts() == ["A 0/0", "B 0/0"])
    try model.send("tasks.item.move.v1", ["item": JSON(two), "project": JSON(b)])
    try model.send("tasks.project.delete.v1", ["project": JSON(b), "items": "keep"])
    #expect(try await counts() == ["A 0/0"])
    #expect(try await model.names("items", [("project", "none")]) == ["two"])
  }

  @Test func `a project's items go with it, and are in no list any more`() async throws {
    let model = try await ReadModelFixture()
    let project = try model.send("tasks.project.create.v1", ["name": "A"])
    for title in ["one", "two"] {
      try model.send("tasks.item.add.v1", ["title": .string(title), "project": JSON(project), "tags": ["t"]])
    }
    #expect(try await model.get("projects/\(project)")["items"]?.array?.count == 2)
    try model.send("tasks.project.delete.v1", ["project": JSON(project)])
    #expect(try await model.get("items")["count"] == 0)
    #expect(try await model.get("search", [("q", "one")])["count"] == 0)
    #expect(try await model.rows("tags")[0]["itemCount"] == 0)
    #expect(await model.response("projects/\(project)").status == 404)
  }

  @Test func `a tag that is deleted leaves its items`() async throws {
    let model = try await ReadModelFixture()
    let items = try model.sendAll(
      "tasks.item.add.v1", ["one", "two"].map { ["title": .string($0), "tags": ["urgent"]] })
    try model.send("tasks.tag.delete.v1", ["tag": ["name": "urgent"]])
    #expect(try await model.names("items") == ["one", "two"])
    #expect(try await model.rows("items").allSatisfy { $0["tags"] == [] })
    #expect(try await model.get("items", [("q", "urgent")])["count"] == 0)
    #expect(try await model.get("tags")["count"] == 0)
    #expect(try await model.get("items/\(items[0])")["sequence"] != nil)
  }

  /// Titles in order, for a query.
  @Test(
    arguments: [
      ("", "milk, rent, wool, roof, cake"),
      ("project=House", "milk, rent"), ("project=HOUSE", "milk, rent"),
      ("project=none", "cake"), ("project=any", "milk, rent, wool, roof"),
      ("project=nowhere", ""),
      ("tag=urgent", "milk, roof"), ("tag=urgent&tag=shop", "milk"),
      ("tag=shop&tag=urgent", "milk"), ("tag=none", "rent"),
      ("tag=any", "milk, wool, roof, cake"),
      ("tag=urgent&tag=nothing", ""),
      ("done=true", "wool"), ("done=false", "milk, rent, roof, cake"),
      ("done=true&project=garden", "wool"),
      ("due-before=2026-05-03", "milk, rent"), ("due-after=2026-05-02", "roof"),
      ("due-before=2026-05-03&due-after=2026-05-01", "rent"),
      ("q=o", "milk, rent, wool, roof, cake"), ("q=shop", "milk, wool, cake"),
      ("q=garden", "wool, roof"), ("q=garden&tag=shop", "wool"),
      ("q= ", "milk, rent, wool, roof, cake"), ("q=oven", "cake"),
      ("sort=-createdAt", "cake, roof, wool, rent, milk"), ("sort=title", "cake, milk, rent, roof, wool"),
      ("sort=dueOn", "milk, rent, roof, wool, cake"), ("sort=-dueOn", "roof, rent, milk, cake, wool"),
      ("sort=project,-title", "wool, roof, rent, milk, cake"),
      ("sort=-isCompleted,title", "wool, cake, milk, rent, roof"),
      ("sort=+title", "cake, milk, rent, roof, wool"), ("sort= title", "cake, milk, rent, roof, wool"),
      ("name=MILK", "milk"), ("name=mil", ""),
      ("limit=2", "milk, rent"),
    ] as [(String, String)])
  func `items are filtered and sorted`(query: String, titles: String) async throws {
    let model = try await ReadModelFixture()
    try model.sendAll("tasks.project.create.v1", [["name": "House"], ["name": "Garden"]])
    try model.sendAll(
      "tasks.item.add.v1",
      [
        ["title": "milk", "project": ["name": "House"], "tags": ["urgent", "shop"], "dueOn": "2026-05-01"],
        ["title": "rent", "project": ["name": "House"], "dueOn": "2026-05-02"],
        [
          "title": "wool", "project": ["name": "Garden"], "tags": ["shop"],
          "completedAt": "2026-05-25T08:30:00Z",
        ],
        ["title": "roof", "project": ["name": "Garden"], "tags": ["urgent"], "dueOn": "2026-05-03"],
        ["title": "cake", "note": "200 °C in the oven", "tags": ["shop"]],
      ])
    #expect(try await model.names("items?\(query)").joined(separator: ", ") == titles)
    if !query.contains("limit") {
      let count = try await model.get("items?\(query)")["count"]
      #expect(count == JSON(titles.isEmpty ? 0 : titles.split(separator: ",").count))
    }
  }

  /// Names in order, for a query.
  @Test(
    arguments: [
      ("", "Roof, Garden, House"), ("place=HOME", "Roof, House"), ("place=none", "Garden"),
      ("place=any", "Roof, House"), ("starts-before=2026-06-02", "House"),
      ("starts-after=2026-06-01", "Roof"), ("sort=startsOn", "House, Roof, Garden"),
      ("sort=name", "Garden, House, Roof"), ("sort=place,name", "House, Roof, Garden"),
      ("q=OO", "Roof"), ("name=  house ", "House"), ("sort=-itemCount,name", "Garden, House, Roof"),
    ] as [(String, String)])
  func `projects are filtered and sorted`(query: String, names: String) async throws {
    let model = try await ReadModelFixture()
    try model.sendAll(
      "tasks.project.create.v1",
      [
        ["name": "House", "place": "home", "startsOn": "2026-06-01"], ["name": "Garden"],
        ["name": "Roof", "place": "Home", "startsOn": "2026-06-02"],
      ])
    try model.send("tasks.item.add.v1", ["title": "dig", "project": ["name": "Garden"]])
    #expect(try await model.names("projects?\(query)").joined(separator: ", ") == names)
    #expect(try await model.get("projects?\(query)")["count"] == JSON(names.split(separator: ",").count))
  }

  @Test func `what is added within one millisecond is listed as it was created, whatever its id`() async throws {
    let model = try await ReadModelFixture()
    let titles = (0..<20).map { "item \($0)" }
    try model.sendAll(
      "tasks.item.add.v1",
      titles.enumerated().map { index, title in
        let id = MessageID(high: UInt64((index * 7919) % 20) << 32 | 0x4000, low: 1 << 63)
        return ["title": .string(title), "createdAt": "2026-05-25T08:30:00.123Z", "id": JSON(id)]
      })
    #expect(try await model.names("items") == titles)
    #expect(try await model.names("items", [("sort", "-createdAt")]) == titles.reversed())
    #expect(try await model.pages("items", [], of: 7).compactMap { $0["title"]?.string } == titles)
  }

  @Test func `titles are sorted as people expect`() async throws {
    let model = try await ReadModelFixture()
    for title in ["Zoe", "Book 10", "éclair", "Book 2", "Eclair", "apple"] {
      try model.send("tasks.item.add.v1", ["title": .string(title)])
    }
    #expect(
      try await model.names("items", [("sort", "title")])
        == ["apple", "Book 2", "Book 10", "éclair", "Eclair", "Zoe"])
  }

  @Test func `an item is found by its id, or by any ending of it that has four characters or more or fewer`()
    async throws
  {
    let model = try await ReadModelFixture()
    let ids = try model.sendAll("tasks.item.add.v1", (0..<40).map { ["title": .string("item \($0)")] })
    let id = ids[17].description
    for length in [4, 8, 12, 13, 36] {
      #expect(try await model.names("items?id=\(id.suffix(length).uppercased())&sort=title") == ["item 17"])
    }
    #expect(try await model.names("items?id=\(id.suffix(8))&q=item 17") == ["item 17"])
    #expect(try await model.names("items?id=\(id.suffix(8))&q=item 18") == [])
    #expect(try await model.names("items?id=\(id.suffix(8))&done=true") == [])
    let short = try await model.get("items?id=\(id.suffix(1))")
    #expect(short["count"] == JSON(ids.filter { $0.description.hasSuffix(id.suffix(1)) }.count))
    #expect(try await model.names("items?id=ffffffff") == [])
  }

  @Test func `times and days come back to the millisecond and the day`() async throws {
    let model = try await ReadModelFixture()
    try model.send(
      "tasks.item.add.v1",
      [
        "title": "x", "createdAt": "1969-12-31T23:59:59.999+00:00", "completedAt": "2026-05-25T23:30:00.1-05:00",
        "dueOn": "2026-05-25",
      ])
    let item = try await model.rows("items")[0]
    #expect(item["createdAt"] == "1969-12-31T23:59:59.999Z")
    #expect(item["completedAt"] == "2026-05-26T04:30:00.100Z")
    #expect(item["dueOn"] == "2026-05-25")
  }

  @Test func `any text comes back byte for byte`() async throws {
    let model = try await ReadModelFixture()
    let title = "👩‍👩‍👧‍👦 שלום \\ \"quoted\" e\u{301}\u{300} 100%"
    let note = "tab\tline\nשורה \u{2028}"
    let item = try model.send("tasks.item.add.v1", ["title": .string(title), "note": .string(note)])
    let row = try await model.get("items/\(item)")
    #expect(row["title"]?.string.map { Array($0.utf8) } == Array(title.precomposedStringWithCanonicalMapping.utf8))
    #expect(row["note"]?.string?.contains("tab\tline\nשורה") == true)
  }
}
