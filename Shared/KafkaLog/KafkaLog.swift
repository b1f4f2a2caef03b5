package import EventLog
package import Messaging

/// The log past one machine: Kafka, by librdkafka.
package final class KafkaLog: EventLog {
  package let id: String

  private init(id: String) { self.id = id }

  /// Connects and returns once a broker has told the cluster's id; throws in one plain sentence once it is refused, or
  /// where none answered within `patience`.
  ///
  /// - Parameter report: told, a sentence each, what is wrong but does not stop the log: settings of existing topics.
  package static func open(
    _ settings: KafkaSettings, topics: TopicSettings = TopicSettings(), clientID: String = "daybook",
    patience: Duration = .seconds(10), report: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(LogError) -> KafkaLog {
    throw .failed("Kafka is not built yet")
  }

  /// Why the broker is not reached now, in one sentence; nil while it is.
  package var trouble: String? { nil }

  /// What is wrong with the settings of existing topics, a plain sentence each. Changes nothing.
  package func check(_ topics: [String], partitions: Int) async throws(LogError) -> [String] {
    throw .failed("Kafka is not built yet")
  }

  /// Stores positions as a consumer group's offsets, so that tools show the lag. Nothing reads them back; a failure is
  /// passed over.
  package func writeGroupOffset(group: String, _ positions: [TopicPartition: Int64]) async {}

  package func create(_ topics: [String], partitions: Int) async throws(LogError) {
    throw .failed("Kafka is not built yet")
  }

  package func partitions(of topic: String) async throws(LogError) -> Int? { throw .failed("Kafka is not built yet") }

  @discardableResult
  package func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    throw .failed("Kafka is not built yet")
  }

  package func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    throw .failed("Kafka is not built yet")
  }

  package func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    throw .failed("Kafka is not built yet")
  }

  package func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    throw .failed("Kafka is not built yet")
  }

  package func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    throw .failed("Kafka is not built yet")
  }

  package func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    throw .failed("Kafka is not built yet")
  }

  package func close() async {}
}
