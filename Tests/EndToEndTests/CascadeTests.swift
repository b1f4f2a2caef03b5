import CommandLineClient
import EventLog
import Foundation
import HTTP
import Messaging
import Synchronization
import Testing

@Suite(.serialized) struct CascadeTests {
  static let items = 10_000

  /// Commands that wait in the log of a Daybook that has not run yet: a project with 10,000 items.
  private func prepare(_ data: String) async throws {
    let log = try EmbeddedLog(directory: data + "/log")
    try await log.create([Topic.commands("tasks"), Topic.events("tasks")], partitions: 4)
    try await LargeProject.append(items: Self.items, to: log)
    await log.close()
  }

  @Test(.timeLimit(.minutes(5)))
  func `deleting a project with 10,000 items is seen whole or not at all, whenever the process is killed`() async throws
  {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    try await prepare(data)
    var random = SplitMix(state: 7)
    let delete = Told(
      id: .next(), type: "tasks.project.delete.v1", workspace: Workspace.main, data: ["project": ["name": "Chores"]])
    var seen: Set<Int> = []
    for round in 0..<6 {
      let daybook = try DaybookProcess(up: data)
      if round == 0 { try await untilFolded(daybook) }
      // A reader that asks all the time, and so may meet any moment of the delete.
      let reading = Task { try await readCounts(daybook.server) }
      let later = UInt32.random(in: 0...300_000, using: &random)
      Thread.detachNewThread {
        usleep(later)
        Foundation.kill(daybook.process.processIdentifier, SIGKILL)
      }
      let status = try? LoadConnection(port: daybook.port).post(delete.request)
      #expect(status == nil || status == 200 || status == 202)
      daybook.process.waitUntilExit()
      seen.formUnion(try await reading.value)
    }
    let daybook = try DaybookProcess(up: data)
    // 202 says that it is not decided within the wait, on a slow machine: the same command again.
    let connection = try LoadConnection(port: daybook.port)
    var status = 202
    while status == 202 { status = try connection.post(delete.request) }
    #expect(status == 200)
    let client = try HTTPClient(base: daybook.server)
    #expect(try await count(client, "") == 0)
    #expect(daybook.stop() == 0)
    #expect(seen.isSubset(of: [0, Self.items]), "\(seen)")
    for part in ["tasks", "projection"] {
      let check = try DaybookProcess.run(["rebuild", part, "--check", "--data", data])
      #expect(check.status == 0, "\(part): \(check.output)\(check.error)")
    }
  }

  /// Waits until the read model holds the last of the prepared items.
  private func untilFolded(_ daybook: DaybookProcess) async throws {
    let connection = try LoadConnection(port: daybook.port)
    let last = Told(id: .next(), type: "tasks.tag.create.v1", workspace: Workspace.main, data: ["name": "last"])
    // 202 says that it is not decided yet: what was prepared comes first.
    while try connection.post(last.request) == 202 {}
    let receipt = try JSON(parsing: Array(connection.body))["receipt"]?.string ?? ""
    while try connection.get("/v1/items?limit=1&after=\(receipt)") == 504 {}
  }

  /// Every number of items that a reader is told until the process is gone.
  private func readCounts(_ server: String) async throws -> Set<Int> {
    let client = try HTTPClient(base: server)
    var seen: Set<Int> = []
    while let count = try? await count(client, "none") { seen.insert(count) }
    return seen
  }

  private func count(_ client: HTTPClient, _ after: String) async throws -> Int? {
    let query = [("limit", "1")] + (after.isEmpty ? [] : [("after", after)])
    return try await ReadModel.get(client, "/v1/items", query)["count"]?.integer.map(Int.init)
  }
}
