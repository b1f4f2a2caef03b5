import Foundation
import KafkaLog
import TestSupport
import Testing

/// The broker that `DAYBOOK_TEST_KAFKA` names.
let realBroker = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA"]

@Suite struct KafkaLogConformanceTests {
  /// The mock cluster does not look up times.
  static let mockCases = EventLogConformance.cases.filter { !$0.name.hasPrefix("by time") }

  @Test(.timeLimit(.minutes(1)), arguments: mockCases)
  func `the log on a mock cluster keeps the contract`(_ conformance: EventLogConformance) async throws {
    let mock = try MockCluster()
    try await conformance.run(EventLogFixture(isDurable: true) { try await mock.open() })
  }

  @Test(
    .enabled(if: realBroker != nil, "DAYBOOK_TEST_KAFKA names no broker"), .timeLimit(.minutes(1)),
    arguments: EventLogConformance.cases)
  func `the log on a real broker keeps the contract`(_ conformance: EventLogConformance) async throws {
    let settings = KafkaSettings(servers: realBroker ?? "")
    try await conformance.run(EventLogFixture(isDurable: true) { try await KafkaLog.open(settings) })
  }
}
