import Messaging
import TasksService
import TestSupport
import Testing

struct WorkspaceTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  /// The same ids in two workspaces, under other names.
  @Test func `two workspaces with the same ids see and change only their own`() throws {
    let (project, item, tag) = (MessageID.next(), MessageID.next(), MessageID.next())
    for workspace in ["a", "b"] {
      func name(_ text: String) -> JSON { .string("\(text) \(workspace)") }
      try tasks.send("project.create", ["name": name("p"), "id": JSON(project)], in: workspace)
      try tasks.send("item.add", ["title": name("i"), "id": JSON(item), "project": JSON(project)], in: workspace)
      try tasks.send("tag.create", ["name": name("t"), "id": JSON(tag)], in: workspace)
      try tasks.send("tag.assign", ["item": JSON(item), "tag": JSON(tag)], in: workspace)
    }
    #expect(try tasks.refusal("tag.create", ["name": "t a"], in: "a").code == "tag-name-taken")
    try tasks.send("tag.create", ["name": "t a"], in: "b")

    let done = try tasks.send("project.delete", ["project": JSON(project)], in: "a")
    #expect(done.types == ["item.cascade-deleted", "project.deleted"])
    #expect(done.data[0]["last"]?["title"] == "i a")
    #expect(done.data[0]["last"]?["project"]?["name"] == "p a")
    #expect(done.data[0]["last"]?["tags"] == [["id": JSON(tag), "name": "t a"]])
    #expect(try tasks.send("tag.delete", ["tag": JSON(tag)], in: "a").types == ["tag.deleted"])

    #expect(try tasks.rows("SELECT workspace, title FROM item") == ["b | i b"])
    #expect(try tasks.rows("SELECT workspace, name FROM project") == ["b | p b"])
    #expect(try tasks.rows("SELECT workspace FROM item_tag") == ["b"])
    #expect(try tasks.send("item.delete-completed", ["project": "any"], in: "a").types == [])
    let other = try tasks.send("item.delete", ["item": ["name": "i b"]], in: "b")
    #expect(other.data[0]["last"]?["tags"] == [["id": JSON(tag), "name": "t b"]])
    #expect(other.data[0]["last"]?["project"]?["name"] == "p b")
    #expect(try tasks.differenceFromFold() == nil)
  }

  @Test func `what is removed elsewhere is touched nowhere`() throws {
    let tag = MessageID.next()
    for workspace in ["a", "b"] {
      try tasks.send("tag.create", ["name": "t", "id": JSON(tag)], in: workspace)
      try tasks.send("item.add", ["title": "i", "tags": ["t"]], in: workspace)
    }
    #expect(try tasks.send("tag.delete", ["tag": ["name": "t"]], in: "a").types == ["tag.unassigned", "tag.deleted"])
    #expect(try tasks.rows("SELECT workspace, tag FROM item_tag") == ["b | \(tag)"])
  }
}
