import EventLog
import Messaging

/// Commands that wait in a log: a project, and so many items in it.
enum LargeProject {
  static func append(items: Int, to log: any EventLog) async throws {
    let place = TopicPartition(Topic.commands("tasks"), Workspace.partition(of: Workspace.main, count: 4))
    var commands: [(String, JSON)] = [("tasks.project.create.v1", ["name": "Chores"])]
    for number in 0..<items {
      commands.append(
        ("tasks.item.add.v1", ["title": .string("Item \(number)"), "project": ["name": "Chores"], "tags": ["home"]]))
    }
    try await log.append(
      commands.map { type, data in
        Message(id: .next(), source: "/test", type: type, time: .now(), workspace: Workspace.main, data: data.bytes)
          .record
      }, to: place)
  }
}
