import CommandLineClient
import Foundation
import Messaging
import Synchronization
import Testing

@Suite(.serialized) struct StopTests {
  @Test(.timeLimit(.minutes(2)))
  func `SIGTERM under load ends with status 0 within five seconds, and 503 means that nothing was handed over`()
    async throws
  {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let told = Mutex<[Told]>([])
    let refused = Mutex<[Told]>([])
    for round in 0..<4 {
      let daybook = try DaybookProcess(up: data)
      let group = DispatchGroup()
      for client in 0..<12 {
        group.enter()
        Thread.detachNewThread {
          defer { group.leave() }
          guard let connection = try? LoadConnection(port: daybook.port) else { return }
          for number in 0... {
            var command = Told(
              id: .next(), type: "tasks.item.add.v1", workspace: Workspace.main,
              data: ["title": .string("Item \(round) \(client) \(number)")])
            guard let status = try? connection.post(command.request) else { return }
            if status == 503 { refused.withLock { $0.append(command) } }
            guard status == 200 else { continue }
            command.answer = Told.Answer(status: status, body: Array(connection.body))
            let count = told.withLock { told in
              told.append(command)
              return told.count
            }
            if count == (round + 1) * 150 { daybook.process.terminate() }
          }
        }
      }
      group.wait()
      let start = ContinuousClock.now
      daybook.process.waitUntilExit()
      #expect(daybook.process.terminationStatus == 0)
      #expect(ContinuousClock.now - start < .seconds(5))
    }
    // What was answered stands, and what was answered 503 does not.
    #expect(try await Checker(data: data, told: told.withLock { $0 }).findings() == [])
    for command in refused.withLock({ $0 }) {
      var command = command
      command.answer = Told.Answer(status: 503, body: [])
      let findings = try await Checker(data: data, told: [command]).findings()
      #expect(findings == ["\(command.type) \(command.id) was answered 503, and has 0 decisions"])
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a start against another log is refused before any missing database is made`() async throws {
    let folder = TemporaryFolder()
    let (own, other) = (folder.path + "/own", folder.path + "/other")
    for data in [own, other] { try DaybookProcess(up: data).stop() }
    try FileManager.default.removeItem(atPath: own + "/library")
    try FileManager.default.moveItem(atPath: own + "/log", toPath: folder.path + "/log")
    try FileManager.default.copyItem(atPath: other + "/log", toPath: own + "/log")
    let refused = try DaybookProcess.run(["up", "--data", own, "--port", "0"])
    #expect(refused.status == 1)
    #expect(refused.error.contains("belongs to the log"))
    let left = (try? FileManager.default.contentsOfDirectory(atPath: own + "/library")) ?? []
    #expect(!left.contains { $0.hasSuffix(".sqlite") })
    try FileManager.default.removeItem(atPath: own + "/log")
    try FileManager.default.moveItem(atPath: folder.path + "/log", toPath: own + "/log")
    #expect(try DaybookProcess(up: own).stop() == 0)
  }
}
