import Foundation
import Messaging
import Synchronization
import Testing

@Suite(.serialized) struct KillTests {
  /// How often `daybook up` is killed: 100 unless the environment asks for another number.
  static let kills = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KILLS"].flatMap(Int.init) ?? 100

  @Test(.timeLimit(.minutes(15)))
  func `nothing that was answered is lost, doubled or reordered by kill -9 under load`() async throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let seed = UInt64.random(in: 0...UInt64.max)
    let load = Load(seed: seed)
    var random = SplitMix(state: seed)
    for _ in 0..<Self.kills {
      let daybook = try DaybookProcess(up: data)
      // Killed after a random number of answers, none too: right after the start as well as under full load, and a
      // moment later than an answer, so that every line of the code is met.
      let target = load.answered + Int.random(in: 0...120, using: &random)
      let later = UInt32.random(in: 0...8000, using: &random)
      load.run(port: daybook.port) { answered in
        guard answered >= target else { return true }
        usleep(later)
        Foundation.kill(daybook.process.processIdentifier, SIGKILL)
        return false
      }
      daybook.kill()
    }
    let daybook = try DaybookProcess(up: data)
    load.finish()
    load.run(port: daybook.port) { _ in true }
    let told = load.told
    #expect(told.allSatisfy { $0.answer != nil })
    #expect(told.contains { $0.answer?.status == 200 } && told.contains { $0.answer?.status == 409 })
    let rows = try await ReadModel.entities(daybook.server)
    #expect(daybook.stop() == 0)
    let findings = try await Checker(data: data, told: told).findings(rows: rows)
    #expect(findings == [], "seed \(seed)")
    for part in ["library", "visitorlog", "tasks", "projection", "audit"] {
      let check = try DaybookProcess.run(["rebuild", part, "--check", "--data", data])
      #expect(check.status == 0, "\(part): \(check.output)\(check.error)")
    }
    let verified = try DaybookProcess.run(["history", "verify", "--data", data])
    #expect(verified.status == 0, "\(verified.output)\(verified.error)")
    print("\(Self.kills) kills, \(told.count) commands answered, \(told.count { $0.answer?.status == 200 }) accepted")
  }
}
