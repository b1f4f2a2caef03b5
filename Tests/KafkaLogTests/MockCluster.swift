import CRdKafka
import EventLog
import KafkaLog
import Messaging
import Synchronization

/// librdkafka's mock cluster: for faults. It holds at most 5 MiB of a partition and does not deduplicate.
final class MockCluster: @unchecked Sendable {
  private let client: OpaquePointer
  let cluster: OpaquePointer
  /// What was made: the mock cluster itself makes every topic that it is asked for.
  let topics = Mutex<[String: Int]>([:])

  init() throws {
    guard let settings = rd_kafka_conf_new() else { throw MockError() }
    daybook_kafka_quiet(settings)
    guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, nil, 0) else { throw MockError() }
    guard let cluster = rd_kafka_mock_cluster_new(client, 1) else { throw MockError() }
    self.client = client
    self.cluster = cluster
  }

  deinit {
    rd_kafka_mock_cluster_destroy(cluster)
    rd_kafka_destroy(client)
  }

  var servers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

  /// Without `max.in.flight=1` the mock cluster mixes up what the gapless guarantee retries.
  func settings(_ more: [String: String] = [:]) -> KafkaSettings {
    KafkaSettings(
      servers: servers,
      properties: ["max.in.flight": "1"].merging(more) { $1 })
  }

  func open(_ more: [String: String] = [:]) async throws(LogError) -> MockLog {
    MockLog(try await KafkaLog.open(settings(more)), self)
  }

  /// The next produce requests fail so; `NO_ERROR` lets one through.
  func failProduce(_ codes: [rd_kafka_resp_err_t]) {
    rd_kafka_mock_push_request_errors_array(cluster, 0, codes.count, codes)
  }

  /// The next requests for a partition's bounds fail so.
  func failListOffsets(_ codes: [rd_kafka_resp_err_t]) {
    rd_kafka_mock_push_request_errors_array(cluster, 2, codes.count, codes)
  }

  func makeTopic(_ name: String, partitions: Int) {
    rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1)
    topics.withLock { $0[name] = partitions }
  }

  func setDown(_ isDown: Bool) {
    if isDown { rd_kafka_mock_broker_set_down(cluster, 1) } else { rd_kafka_mock_broker_set_up(cluster, 1) }
  }
}

struct MockError: Error {}

/// A `KafkaLog` on a mock cluster, which does not know the requests that make topics.
struct MockLog: EventLog {
  let log: KafkaLog
  let mock: MockCluster

  init(_ log: KafkaLog, _ mock: MockCluster) {
    self.log = log
    self.mock = mock
  }

  var id: String { log.id }

  func create(_ topics: [String], partitions: Int) async throws(LogError) {
    let known = mock.topics.withLock { $0 }
    for topic in topics {
      guard let found = known[topic], found != partitions else { continue }
      throw .partitionCount(topic: topic, found: found, wanted: partitions)
    }
    for topic in topics where known[topic] == nil { mock.makeTopic(topic, partitions: partitions) }
  }

  func partitions(of topic: String) async throws(LogError) -> Int? {
    guard mock.topics.withLock({ $0[topic] }) != nil else { return nil }
    return try await log.partitions(of: topic)
  }

  private func known(_ partition: TopicPartition) throws(LogError) -> KafkaLog {
    if mock.topics.withLock({ $0[partition.topic] }) == nil { throw .unknownTopic(partition.topic) }
    return log
  }

  @discardableResult
  func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await known(partition).append(records, to: partition)
  }

  func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    try await known(partition).writer(to: partition)
  }

  func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    try await known(partition).reader(of: partition, from: offset)
  }

  func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try await known(partition).bounds(of: partition)
  }

  func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    try await known(partition).offset(of: partition, at: time)
  }

  func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    try await known(partition).offset(of: partition, sequence: sequence)
  }

  func close() async { await log.close() }
}
