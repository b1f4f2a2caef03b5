import CRdKafka
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

  static func kill() throws { try shell(killCommand) }
  static func start() throws { try shell(startCommand) }

  private static func shell(_ command: String?) throws {
    guard let command else { throw Failure(description: "no command is given") }
    // Not Foundation's Process: it waits for as long as a grandchild, the broker, lives.
    guard system("(\(command)) >/dev/null 2>&1") == 0 else { throw Failure(description: "\(command) failed") }
  }

  static func open() async throws -> KafkaLog {
    try await KafkaLog.open(KafkaSettings(servers: address ?? ""), patience: .seconds(30))
  }

  static let topics = Checker.services.flatMap { ["daybook.\($0).commands", "daybook.\($0).events"] }

  /// Returns once none of Daybook's topics is there.
  static func removeTopics() throws {
    let client = try KafkaAdmin(address ?? "")
    client.delete(topics)
    for _ in 0..<300 {
      if client.topics().isDisjoint(with: topics) { return }
      usleep(100_000)
    }
    throw Failure(description: "the topics of an earlier test do not go away")
  }

  static func requireNoTopics() throws {
    let found = try KafkaAdmin(address ?? "").topics().intersection(topics)
    guard found.isEmpty else {
      throw Failure(description: "the broker holds \(found.sorted().joined(separator: ", ")): name one without them")
    }
  }
}

/// What the tests ask of a broker beside the log: which topics there are, and to remove some.
private final class KafkaAdmin {
  private let client: OpaquePointer

  init(_ servers: String) throws {
    let settings = rd_kafka_conf_new()
    rd_kafka_conf_set(settings, "bootstrap.servers", servers, nil, 0)
    guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, nil, 0) else {
      throw KafkaBroker.Failure(description: "no client for \(servers)")
    }
    self.client = client
  }

  deinit { rd_kafka_destroy(client) }

  func topics() -> Set<String> {
    var metadata: UnsafePointer<rd_kafka_metadata>?
    guard rd_kafka_metadata(client, 1, nil, &metadata, 30_000) == RD_KAFKA_RESP_ERR_NO_ERROR, let metadata else {
      return []
    }
    defer { rd_kafka_metadata_destroy(metadata) }
    return Set(
      (0..<Int(metadata.pointee.topic_cnt)).map { String(cString: metadata.pointee.topics[$0].topic) })
  }

  func delete(_ names: [String]) {
    let queue = rd_kafka_queue_new(client)
    defer { rd_kafka_queue_destroy(queue) }
    var topics = names.map { rd_kafka_DeleteTopic_new($0) }
    rd_kafka_DeleteTopics(client, &topics, topics.count, nil, queue)
    rd_kafka_event_destroy(rd_kafka_queue_poll(queue, 30_000))
    rd_kafka_DeleteTopic_destroy_array(&topics, topics.count)
  }
}
