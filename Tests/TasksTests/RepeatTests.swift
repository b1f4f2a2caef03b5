import Contracts
import Messaging
import TasksService
import TestSupport
import Testing

struct RepeatTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  @Test func `a create sent again under its command id gets the first answer, and what was made since stays`() throws {
    let id = MessageID.next()
    let data: JSON = ["name": "House"]
    let first = try tasks.owner.send("tasks.project.create.v1", data, id: id)
    for title in ["a", "b", "c"] {
      try tasks.send("item.add", ["title": .string(title), "project": JSON(first.entity)])
    }
    try tasks.send("project.edit", ["project": JSON(first.entity), "name": "Home"])
    let again = try tasks.owner.send("tasks.project.create.v1", data, id: id)
    #expect(again.isRepeat)
    #expect(again.events == [])
    #expect(again.decision.answer.bytes == first.decision.answer.bytes)
    #expect(try tasks.rows("SELECT name FROM project") == ["Home"])
    #expect(try tasks.rows("SELECT count(project) FROM item") == ["3"])
  }

  @Test func `a command id with other content is refused and changes nothing`() throws {
    let id = MessageID.next()
    try tasks.owner.send("tasks.tag.create.v1", ["name": "a"], id: id)
    let other = try tasks.owner.send("tasks.tag.create.v1", ["name": "b"], id: id)
    #expect(other.code == "command-id-reused")
    #expect(try tasks.rows("SELECT name FROM tag") == ["a"])
  }

  @Test func `a refused create is refused for good, though its name is free by now`() throws {
    let id = MessageID.next()
    try tasks.send("tag.create", ["name": "urgent"])
    let first = try tasks.owner.send("tasks.tag.create.v1", ["name": "URGENT"], id: id)
    try tasks.send("tag.delete", ["tag": ["name": "urgent"]])
    let again = try tasks.owner.send("tasks.tag.create.v1", ["name": "URGENT"], id: id)
    #expect(again.decision.answer.bytes == first.decision.answer.bytes)
    #expect(try tasks.rows("SELECT count(*) FROM tag") == ["0"])
  }

  @Test(arguments: [
    (#"{"title":"a","title":"b"}"#, "malformed"), (#"{"title":"a",}"#, "malformed"),
    (#"{"title":"a\u0000"}"#, "malformed"), (#"["title"]"#, "malformed"), ("", "malformed"),
    (String(repeating: "[", count: 100), "malformed"), (#"{"title":"a","colour":"red"}"#, "invalid"),
  ])
  func `data that is not the JSON asked for is refused`(text: String, code: String) throws {
    #expect(try tasks.owner.send("tasks.item.add.v1", bytes: Array(text.utf8)).code == code)
    let utf16 = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    #expect(try tasks.owner.send("tasks.item.add.v1", bytes: utf16).code == "malformed")
    #expect(try tasks.rows("SELECT count(*) FROM item") == ["0"])
  }

  @Test func `data beyond 256 KiB is too large`() throws {
    let note = JSON.string(String(repeating: "x", count: 300 * 1024))
    #expect(try tasks.refusal("item.add", ["title": "a", "note": note]).code == "too-large")
  }
}
