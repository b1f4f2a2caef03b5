import Contracts
import Messaging
import TasksService
import TestSupport
import Testing

struct TagTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  @Test func `creating a tag that has its name on items already is refused and changes nothing`() throws {
    let urgent = try tasks.send("tag.create", ["name": "Urgent"]).id
    for title in ["a", "b", "c"] { try tasks.send("item.add", ["title": .string(title), "tags": ["urgent"]]) }
    let before = try tasks.rows("SELECT * FROM item_tag")

    let problem = try tasks.refusal("tag.create", ["name": "Urgent"])
    #expect(problem.code == "tag-name-taken")
    #expect(problem.status == 409)
    #expect(problem.json["existing"] == JSON(urgent))
    #expect(try tasks.rows("SELECT * FROM item_tag") == before)
    #expect(try tasks.rows("SELECT name FROM tag") == ["Urgent"])
  }

  @Test(arguments: [
    ("Café", "CAFÉ"), ("Café", "Cafe\u{301}"), ("Café", " café "), ("АБВ", "абв"), ("To  do", "to do"), ("ＡＢ", "ab"),
  ])
  func `names that differ only in how they are written are one name`(first: String, second: String) throws {
    let id = try tasks.send("tag.create", ["name": .string(first)]).id
    #expect(try tasks.refusal("tag.create", ["name": .string(second)]).json["existing"] == JSON(id))
  }

  @Test(arguments: [("Café", "Cafe"), ("100% wool", "100 wool"), ("a_b", "a.b")])
  func `names that differ in a letter are two`(first: String, second: String) throws {
    try tasks.send("tag.create", ["name": .string(first)])
    try tasks.send("tag.create", ["name": .string(second)])
    #expect(try tasks.rows("SELECT count(*) FROM tag") == ["2"])
  }

  @Test func `a name is free again once its tag is deleted`() throws {
    var seen: Set<MessageID?> = []
    for round in 1...3 {
      seen.insert(try tasks.send("tag.create", ["name": "again"]).id)
      if round < 3 { try tasks.send("tag.delete", ["tag": ["name": "again"]]) }
    }
    #expect(seen.count == 3)
  }

  @Test func `ensure is content with the tag that is there`() throws {
    let first = try tasks.send("tag.create", ["name": "urgent", "ensure": true])
    let second = try tasks.send("tag.create", ["name": "URGENT", "ensure": true])
    #expect(first.types == ["tag.created"])
    #expect(second.types == [])
    #expect(second.id == first.id)
  }

  @Test func `a rename keeps the key unique, may change the letter case, and changes nothing for the same name`() throws
  {
    let a = try tasks.send("tag.create", ["name": "a"]).id
    let b = try tasks.send("tag.create", ["name": "b"]).id
    let taken = try tasks.refusal("tag.rename", ["tag": JSON(a), "name": "B"])
    #expect(taken.code == "tag-name-taken")
    #expect(taken.json["existing"] == JSON(b))

    let renamed = try tasks.send("tag.rename", ["tag": ["name": "a"], "name": "A"])
    #expect(renamed.types == ["tag.renamed"])
    #expect(renamed.data[0]["before"] == ["name": "a"])
    #expect(renamed.data[0]["after"] == ["name": "A"])
    #expect(try tasks.send("tag.rename", ["tag": JSON(a), "name": " A "]).types == [])
  }

  @Test func `deleting a tag takes it off each item first, and the items stay`() throws {
    for title in ["first", "second"] { try tasks.send("item.add", ["title": .string(title), "tags": ["x", "y"]]) }
    let done = try tasks.send("tag.delete", ["tag": ["name": "X"]])
    #expect(done.types == ["tag.unassigned", "tag.unassigned", "tag.deleted"])
    #expect(done.data.map { $0["item"]?["name"] } == ["first", "second", nil])
    #expect(done.data[2]["counts"] == ["items": 2])
    #expect(try tasks.rows("SELECT title FROM item ORDER BY created") == ["first", "second"])
    #expect(
      try tasks.rows("SELECT tag.name, count(*) FROM item_tag JOIN tag ON tag.id = item_tag.tag GROUP BY 1") == [
        "y | 2"
      ])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `assigning twice, and taking off what is not on, change nothing`() throws {
    let item = try tasks.send("item.add", ["title": "milk"]).id
    try tasks.send("tag.create", ["name": "urgent"])
    let link: JSON = ["item": JSON(item), "tag": ["name": "urgent"]]
    #expect(try tasks.send("tag.unassign", link).types == [])
    let assigned = try tasks.send("tag.assign", link)
    #expect(assigned.types == ["tag.assigned"])
    #expect(assigned.id == item)
    #expect(assigned.data[0]["item"] == ["id": JSON(item), "name": "milk"])
    #expect(try tasks.send("tag.assign", link).types == [])
    #expect(try tasks.send("tag.unassign", link).types == ["tag.unassigned"])
    #expect(try tasks.send("tag.unassign", link).types == [])
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `assign makes a missing tag only when told to ensure it, and only by name`() throws {
    try tasks.send("item.add", ["title": "milk"])
    let new: JSON = ["item": ["name": "Milk"], "tag": ["name": "new"]]
    #expect(try tasks.refusal("tag.assign", new).code == "not-found")
    var ensured = new.object ?? [:]
    ensured["ensure"] = true
    #expect(try tasks.send("tag.assign", .object(ensured)).types == ["tag.created", "tag.assigned"])
    ensured["tag"] = JSON(MessageID.next())
    #expect(try tasks.refusal("tag.assign", .object(ensured)).code == "not-found")
  }

  @Test func `an item has at most a hundred tags`() throws {
    let names = (1...100).map { JSON.string("t\($0)") }
    let item = try tasks.send("item.add", ["title": "full", "tags": .array(names)])
    #expect(item.events.count == 201)
    #expect(try tasks.send("tag.assign", ["item": JSON(item.id), "tag": ["name": "T7"]]).types == [])
    let problem = try tasks.refusal(
      "tag.assign", ["item": JSON(item.id), "tag": ["name": "one more"], "ensure": true])
    #expect(problem.code == "too-many-tags")
    #expect(problem.json["count"] == 100)
    #expect(try tasks.rows("SELECT count(*) FROM tag") == ["100"])
    let tooMany = try tasks.refusal("item.add", ["title": "b", "tags": .array(names + ["one more"])])
    #expect(tooMany.fields == ["tags"])
  }
}
