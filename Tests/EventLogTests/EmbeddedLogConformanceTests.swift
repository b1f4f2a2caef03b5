import EventLog
import TestSupport
import Testing

struct EmbeddedLogConformanceTests {
  @Test(.timeLimit(.minutes(1)), arguments: EventLogConformance.cases)
  func `the embedded log keeps the contract from memory`(_ conformance: EventLogConformance) async throws {
    let directory = try TemporaryDirectory()
    try await conformance.run(
      EventLogFixture(isDurable: true) { try EmbeddedLog(directory: directory.path) })
  }

  @Test(.timeLimit(.minutes(1)), arguments: EventLogConformance.cases)
  func `the embedded log keeps the contract from its file`(_ conformance: EventLogConformance) async throws {
    let directory = try TemporaryDirectory()
    try await conformance.run(
      EventLogFixture(isDurable: true) { try EmbeddedLog(directory: directory.path, tailLimit: 0) })
  }
}
