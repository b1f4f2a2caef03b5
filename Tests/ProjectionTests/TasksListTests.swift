import Messaging
import Testing

@Suite struct TasksListTests {
  @Test func `an item carries its project and its tags by name`() async throws {
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
}
