import Contracts
import Messaging
import TasksService
import TestSupport
import Testing

struct ItemTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  @Test func `an item is added with the tags that are new made first, each assigned once`() throws {
    let project = try tasks.send("project.create", ["name": "House"]).id
    try tasks.send("tag.create", ["name": "old"])
    let now = tasks.owner.now
    let done = try tasks.send(
      "item.add",
      [
        "title": "Buy milk", "note": "2 l\n", "project": ["name": "HOUSE"], "tags": ["new", "Old", "NEW"],
        "dueOn": "2026-05-25",
      ])
    #expect(done.types == ["tag.created", "item.added", "tag.assigned", "tag.assigned"])
    #expect(
      done.data[1] == [
        "id": JSON(done.id), "title": "Buy milk", "key": "buy milk", "note": "2 l", "createdAt": JSON(now),
        "completedAt": nil, "dueOn": "2026-05-25", "project": ["id": JSON(project), "name": "House"],
      ])
    #expect(done.data[3]["tag"]?["name"] == "old")
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `an item that was done already is added as done`() throws {
    let done = try tasks.send(
      "item.add",
      ["title": "old", "createdAt": "2019-01-01T00:00:00Z", "completedAt": "2020-01-01T00:00:00Z"])
    #expect(try tasks.rows("SELECT created_at, completed_at FROM item") == ["1546300800000 | 1577836800000"])
    #expect(done.types == ["item.added"])
  }

  @Test func `a due day is the same day in every zone`() throws {
    try tasks.send("item.add", ["title": "a", "dueOn": "2026-05-25"])
    #expect(try tasks.rows("SELECT due_on FROM item") == ["2026-05-25"])
  }

  @Test func `an absent field stays and null clears it`() throws {
    let id = try tasks.send("item.add", ["title": "a", "note": "n", "dueOn": "2026-05-25"]).id
    let titled = try tasks.send("item.edit", ["item": JSON(id), "title": "b"])
    #expect(titled.data[0] == ["id": JSON(id), "key": "b", "before": ["title": "a"], "after": ["title": "b"]])
    #expect(try tasks.rows("SELECT title, note, due_on FROM item") == ["b | n | 2026-05-25"])
    let cleared = try tasks.send("item.edit", ["item": JSON(id), "note": nil, "dueOn": nil])
    #expect(cleared.data[0]["before"] == ["note": "n", "dueOn": "2026-05-25"])
    #expect(try tasks.rows("SELECT title, note, due_on FROM item") == ["b | null | null"])
    #expect(try tasks.refusal("item.edit", ["item": JSON(id), "title": nil]).fields == ["title"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `an item's own values sent back change nothing`() throws {
    let id = try tasks.send("item.add", ["title": "Café", "note": "n", "dueOn": "2026-05-25"]).id
    let same = try tasks.send(
      "item.edit", ["item": JSON(id), "title": "Cafe\u{301}", "note": " n ", "dueOn": "2026-05-25"])
    #expect(same.types == [])
    #expect(same.id == id)
  }

  @Test func `completing twice and reopening twice are one event each`() throws {
    let id = try tasks.send("item.add", ["title": "a"]).id
    let first = tasks.owner.now
    let completed = try tasks.send("item.complete", ["item": JSON(id)])
    #expect(completed.types == ["item.completed"])
    #expect(completed.data[0]["before"] == ["completedAt": nil])
    #expect(completed.data[0]["after"] == ["completedAt": JSON(first)])
    #expect(try tasks.send("item.complete", ["item": JSON(id)]).types == [])
    #expect(try tasks.rows("SELECT completed_at FROM item") == ["\(first.milliseconds)"])
    let reopened = try tasks.send("item.reopen", ["item": JSON(id)])
    #expect(reopened.data[0]["before"] == ["completedAt": JSON(first)])
    #expect(try tasks.send("item.reopen", ["item": JSON(id)]).types == [])
    #expect(try tasks.rows("SELECT completed_at FROM item") == ["null"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `an item moves between projects and out of them`() throws {
    let a = try tasks.send("project.create", ["name": "A"]).id
    let b = try tasks.send("project.create", ["name": "B"]).id
    let item = try tasks.send("item.add", ["title": "x", "project": JSON(a)]).id
    let moved = try tasks.send("item.move", ["item": JSON(item), "project": ["name": "b"]])
    #expect(moved.data[0]["before"] == ["project": ["id": JSON(a), "name": "A"]])
    #expect(moved.data[0]["after"] == ["project": ["id": JSON(b), "name": "B"]])
    #expect(try tasks.send("item.move", ["item": JSON(item), "project": JSON(b)]).types == [])
    #expect(try tasks.send("item.move", ["item": JSON(item), "project": nil]).data[0]["after"] == ["project": nil])
    #expect(try tasks.send("item.move", ["item": JSON(item), "project": nil]).types == [])
    #expect(try tasks.refusal("item.move", ["item": JSON(item)]).fields == ["project"])
    #expect(try tasks.refusal("item.move", ["item": JSON(item), "project": ["name": "C"]]).code == "not-found")
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `a deleted item stays deleted, whatever is asked of it`() throws {
    let id = try tasks.send("item.add", ["title": "a", "tags": ["t"]]).id
    let gone = try tasks.send("item.delete", ["item": JSON(id)])
    #expect(gone.types == ["item.deleted"])
    #expect(gone.data[0]["last"]?["tags"]?.array?.count == 1)
    for (verb, extra) in [
      ("item.complete", [:]), ("item.reopen", [:]), ("item.edit", ["title": "b"]), ("item.delete", [:]),
      ("tag.assign", ["tag": ["name": "t"]]), ("tag.unassign", ["tag": ["name": "t"]]), ("item.move", ["project": nil]),
    ] as [(String, JSONObject)] {
      var data = extra
      data["item"] = JSON(id)
      #expect(try tasks.refusal(verb, .object(data)).code == "not-found", "\(verb)")
    }
    #expect(try tasks.rows("SELECT count(*) FROM item") == ["0"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `completed items are deleted by project, by none, and everywhere`() throws {
    try tasks.send("project.create", ["name": "P"])
    let all: [(String, Bool, Bool)] = [
      ("p done", true, true), ("p open", true, false), ("done", false, true), ("open", false, false),
      ("p done 2", true, true),
    ]
    for (title, inProject, done) in all {
      var data: JSONObject = ["title": .string(title)]
      if inProject { data["project"] = ["name": "P"] }
      if done { data["completedAt"] = "2026-01-01T00:00:00Z" }
      try tasks.send("item.add", .object(data))
    }
    #expect(try tasks.refusal("item.delete-completed", [:]).fields == ["project"])
    #expect(try tasks.refusal("item.delete-completed", ["project": ["name": "Q"]]).code == "not-found")
    #expect(try tasks.refusal("item.delete-completed", ["project": "none"]).code == "invalid")
    let none = try tasks.send("item.delete-completed", ["project": nil])
    #expect(none.data.map { $0["last"]?["title"] } == ["done"])
    #expect(none.id == nil)
    let inProject = try tasks.send("item.delete-completed", ["project": ["name": "p"]])
    #expect(inProject.data.map { $0["last"]?["title"] } == ["p done", "p done 2"])
    try tasks.send("item.complete", ["item": ["name": "open"]])
    #expect(try tasks.send("item.delete-completed", ["project": "any"]).types == ["item.deleted"])
    #expect(try tasks.send("item.delete-completed", ["project": "any"]).types == [])
    #expect(try tasks.rows("SELECT title FROM item") == ["p open"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `items added in one millisecond keep the order of their creation, whatever their ids`() throws {
    let ids = (1...20).map { _ in MessageID.next() }.shuffled()
    for (n, id) in ids.enumerated() { try tasks.send("item.add", ["title": .string("\(n)"), "id": JSON(id)]) }
    #expect(try tasks.rows("SELECT id FROM item ORDER BY created") == ids.map(\.description))
  }

  @Test func `an item at every limit is added and deleted whole`() throws {
    let tags = (100..<200).map { JSON.string(String(repeating: "😀", count: 197) + String($0)) }
    let note = String(repeating: "𝄞", count: 10_000)
    let added = try tasks.send(
      "item.add", ["title": .string(String(repeating: "𝄞", count: 200)), "note": .string(note), "tags": .array(tags)])
    let deleted = try tasks.send("item.delete", ["item": JSON(added.id)])
    let last = deleted.data[0]["last"]
    #expect(last?["tags"]?.array?.count == 100)
    #expect(last?["note"] == .string(note))
    #expect(deleted.data[0].bytes.count < 512 * 1024)
    #expect(
      try TasksEvent(type: deleted.events[0].type, data: JSON(parsing: deleted.data[0].bytes)) == deleted.events[0])
  }

  @Test(arguments: ["👩‍👩‍👧‍👦 family", "שלום עולם", "e\u{301}\u{323}", "مرحبا 123", "한국어"])
  func `any script is kept as it is, in NFC`(title: String) throws {
    let done = try tasks.send("item.add", ["title": .string(title)])
    let stored = try #require(done.data[0]["title"]?.string)
    #expect(Array(stored.utf8) == Array(Text.normalized(title).utf8))
    #expect(try tasks.rows("SELECT title FROM item").map { Array($0.utf8) } == [Array(stored.utf8)])
  }
}
