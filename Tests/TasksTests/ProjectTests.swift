import Contracts
import Messaging
import TasksService
import TestSupport
import Testing

struct ProjectTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  @Test func `a project is created with its fields, its key and the time of its command`() throws {
    let now = tasks.owner.now
    let done = try tasks.send(
      "project.create", ["name": " House  Chores ", "place": "Home", "startsOn": "2026-05-25", "endsOn": "2026-05-25"])
    #expect(
      done.data == [
        [
          "id": JSON(done.id), "name": "House  Chores", "key": "house chores", "place": "Home",
          "createdAt": JSON(now), "startsOn": "2026-05-25", "endsOn": "2026-05-25",
        ]
      ])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `a create takes an id and a time of its own`() throws {
    let id = MessageID.next()
    let done = try tasks.send(
      "project.create", ["name": "Old", "id": JSON(id), "createdAt": "2001-02-03T04:05:06.789+02:00"])
    #expect(done.id == id)
    #expect(done.data[0]["createdAt"] == "2001-02-03T02:05:06.789Z")
  }

  @Test func `a taken name is refused with its holder, on create and on edit`() throws {
    let house = try tasks.send("project.create", ["name": "House"]).id
    try tasks.send("project.create", ["name": "Garden"])
    for problem in [
      try tasks.refusal("project.create", ["name": "HOUSE"]),
      try tasks.refusal("project.edit", ["project": ["name": "garden"], "name": "house"]),
    ] {
      #expect(problem.code == "project-name-taken")
      #expect(problem.json["existing"] == JSON(house))
    }
  }

  @Test(arguments: ["none", "Any", " NONE "])
  func `a word that lists take for themselves is no project's name`(_ name: String) throws {
    try tasks.send("project.create", ["name": "House"])
    for problem in [
      try tasks.refusal("project.create", ["name": .string(name)]),
      try tasks.refusal("project.edit", ["project": ["name": "House"], "name": .string(name)]),
    ] {
      #expect(problem.code == "invalid")
      #expect(problem.fields == ["name"])
    }
  }

  @Test(
    arguments: [
      (["startsOn": "2026-05-25", "endsOn": "2026-05-24"], "endsOn"), (["endsOn": "2026-02-30"], "endsOn"),
      (["startsOn": "25.5.2026"], "startsOn"),
    ] as [(JSON, String)])
  func `days that do not fit are refused naming the field`(days: JSON, field: String) throws {
    var data = days.object ?? [:]
    data["name"] = "x"
    let problem = try tasks.refusal("project.create", .object(data))
    #expect(problem.code == "invalid")
    #expect(problem.fields == [field])
  }

  @Test func `one end of a project's time is enough, and an edit is held against the other end`() throws {
    let id = try tasks.send("project.create", ["name": "a", "endsOn": "2026-05-25"]).id
    let late = try tasks.refusal("project.edit", ["project": JSON(id), "startsOn": "2026-05-26"])
    #expect(late.fields == ["startsOn"])
    try tasks.send("project.edit", ["project": JSON(id), "startsOn": "2026-05-25"])
    try tasks.send("project.edit", ["project": JSON(id), "startsOn": nil])
    #expect(try tasks.rows("SELECT starts_on, ends_on FROM project") == ["null | 2026-05-25"])
    let edited = try tasks.send("project.edit", ["project": JSON(id), "startsOn": "2026-05-26", "endsOn": nil])
    #expect(edited.data[0]["before"] == ["startsOn": nil, "endsOn": "2026-05-25"])
    #expect(edited.data[0]["after"] == ["startsOn": "2026-05-26", "endsOn": nil])
    let early = try tasks.refusal("project.edit", ["project": JSON(id), "endsOn": "2026-05-25"])
    #expect(early.fields == ["endsOn"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `a rename keeps the items`() throws {
    let id = try tasks.send("project.create", ["name": "House"]).id
    for title in ["a", "b", "c"] {
      try tasks.send("item.add", ["title": .string(title), "project": ["name": "house"]])
    }
    let renamed = try tasks.send("project.edit", ["project": JSON(id), "name": "Home"])
    #expect(renamed.types == ["project.edited"])
    #expect(renamed.data[0]["key"] == "home")
    #expect(
      try tasks.rows("SELECT project.name, count(*) FROM item JOIN project ON project.id = item.project GROUP BY 1")
        == ["Home | 3"])
  }

  @Test func `its own values sent back change nothing`() throws {
    let id = try tasks.send(
      "project.create", ["name": "House", "place": "Home", "startsOn": "2026-05-25", "endsOn": "2026-06-01"]
    ).id
    let same = try tasks.send(
      "project.edit",
      ["project": JSON(id), "name": "House", "place": "Home", "startsOn": "2026-05-25", "endsOn": "2026-06-01"])
    #expect(same.id == id)
    #expect(same.types == [])
  }

  @Test func `a blank place is none`() throws {
    let id = try tasks.send("project.create", ["name": "House", "place": "  "]).id
    #expect(try tasks.rows("SELECT place FROM project") == ["null"])
    #expect(try tasks.send("project.edit", ["project": JSON(id), "place": ""]).types == [])
    #expect(try tasks.send("project.edit", ["project": JSON(id), "place": "Home"]).types == ["project.edited"])
    #expect(try tasks.send("project.edit", ["project": JSON(id), "place": "\t"]).data[0]["after"] == ["place": nil])
    #expect(try tasks.rows("SELECT place FROM project") == ["null"])
  }

  @Test func `deleting a project deletes its items before it, with their tags`() throws {
    let (_, other) = try threeItems()
    let done = try tasks.send("project.delete", ["project": ["name": "House"]])
    #expect(done.types == ["item.cascade-deleted", "item.cascade-deleted", "project.deleted"])
    #expect(done.data[0]["last"]?["title"] == "first")
    #expect(done.data[0]["last"]?["project"]?["name"] == "House")
    #expect(done.data[0]["last"]?["tags"]?.array?.map { $0["name"] } == ["a", "b"])
    #expect(done.data[1]["last"]?["tags"] == [])
    #expect(done.data[2]["counts"] == ["itemsDeleted": 2, "itemsKept": 0])
    #expect(try tasks.rows("SELECT id FROM item") == [other?.description])
    #expect(try tasks.rows("SELECT name FROM tag ORDER BY name") == ["a", "b"])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `told to keep them, it moves each item out`() throws {
    try threeItems()
    let done = try tasks.send("project.delete", ["project": ["name": "House"], "items": "keep"])
    #expect(done.types == ["item.moved", "item.moved", "project.deleted"])
    #expect(done.data[0]["before"]?["project"]?["name"] == "House")
    #expect(done.data[0]["after"] == ["project": nil])
    #expect(done.data[2]["counts"] == ["itemsDeleted": 0, "itemsKept": 2])
    #expect(
      try tasks.rows("SELECT title, project FROM item ORDER BY created") == [
        "first | null", "second | null", "other | null",
      ])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `told to refuse, it stays while it has items`() throws {
    try threeItems()
    let problem = try tasks.refusal("project.delete", ["project": ["name": "House"], "items": "refuse"])
    #expect(problem.code == "project-not-empty")
    #expect(problem.status == 409)
    #expect(problem.json["count"] == 2)
    try tasks.send("item.move", ["item": ["name": "first"], "project": nil])
    try tasks.send("item.delete", ["item": ["name": "second"]])
    #expect(
      try tasks.send("project.delete", ["project": ["name": "House"], "items": "refuse"]).types == ["project.deleted"])
  }

  @Test func `a word that is none of delete, keep and refuse is refused`() throws {
    try threeItems()
    let problem = try tasks.refusal("project.delete", ["project": ["name": "House"], "items": "burn"])
    #expect(problem.fields == ["items"])
  }

  @Test func `a project of thousands of items goes in one command`() throws {
    let id = try tasks.send("project.create", ["name": "House"]).id
    for n in 1...3000 { try tasks.send("item.add", ["title": .string("item \(n)"), "project": JSON(id)]) }
    let clock = ContinuousClock()
    let start = clock.now
    let done = try tasks.send("project.delete", ["project": JSON(id)])
    let time = start.duration(to: clock.now)
    #expect(done.events.count == 3001)
    #expect(try tasks.rows("SELECT count(*) FROM item") == ["0"])
    // A debug build on a busy machine gets room; were it quadratic, it would take minutes.
    #expect(time < .seconds(20), "it took \(time)")
  }

  /// Two items in House, the first with two tags, and one in no project.
  @discardableResult
  private func threeItems() throws -> (project: MessageID?, other: MessageID?) {
    let project = try tasks.send("project.create", ["name": "House"]).id
    try tasks.send("item.add", ["title": "first", "project": JSON(project), "tags": ["b", "a"]])
    try tasks.send("item.add", ["title": "second", "project": JSON(project)])
    return (project, try tasks.send("item.add", ["title": "other"]).id)
  }
}
