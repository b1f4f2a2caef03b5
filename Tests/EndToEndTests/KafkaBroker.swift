import Foundation
import KafkaLog
import Testing

/// The real broker that the environment names. The tests make Daybook's own topics there and remove them again, so it
/// must hold none before: never name a broker in use.
enum KafkaBroker {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// `DAYBOOK_TEST_KAFKA=HOST:PORT`; nil: the suites on a real broker are skipped.
  static let address = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA"].flatMap { $0.isEmpty ? nil : $0 }
  /// Shell commands that kill the broker with SIGKILL and start it again, if the environment has them.
  static let killCommand = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_KILL"]
  static let startCommand = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_START"]
  static var canBeKilled: Bool { killCommand != nil && startCommand != nil }

  /// Shell commands that stop the broker with SIGSTOP and let it go on, if the environment has them.
  static let pauseCommand = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_PAUSE"]
  static let resumeCommand = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_RESUME"]
  static var canBePaused: Bool { pauseCommand != nil && resumeCommand != nil }

  static func kill() throws { try shell(killCommand) }
  static func start() throws { try shell(startCommand) }

  static func pause() throws { try shell(pauseCommand) }
  static func resume() throws { try shell(resumeCommand) }

  private static func shell(_ command: String?) throws {
    guard let command else { throw Failure(description: "no command is given") }
    // Not Foundation's Process: it waits for as long as a grandchild, the broker, lives.
    guard system("(\(command)) >/dev/null 2>&1") == 0 else { throw Failure(description: "\(command) failed") }
  }

  static func open() async throws -> KafkaLog {
    try await KafkaLog.open(KafkaSettings(servers: address ?? ""), patience: .seconds(30))
  }

  static let topics = Checker.services.flatMap { ["daybook.\($0).commands", "daybook.\($0).events"] }

  static func requireNoTopics() async throws {
    let log = try await open()
    for topic in topics where try await log.partitions(of: topic) != nil {
      await log.close()
      throw Failure(description: "the broker of DAYBOOK_TEST_KAFKA holds \(topic): name one without Daybook's topics")
    }
    await log.close()
  }

  /// Returns once none of Daybook's topics is there.
  static func removeTopics() async throws {
    let log = try await open()
    var left: [String] = []
    for topic in topics where try await log.partitions(of: topic) != nil { left.append(topic) }
    try await log.delete(left)
    await log.close()
    // A broker forgets a topic some moments later, and tells nobody.
    for _ in 0..<100 {
      do { return try await requireNoTopics() } catch is Failure { try await Task.sleep(for: .milliseconds(100)) }
    }
    throw Failure(description: "the topics of an earlier test do not go away")
  }
}
