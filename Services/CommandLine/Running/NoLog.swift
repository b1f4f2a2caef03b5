import EventLog
import Messaging

/// Stands where a log is asked for and none is: a read model that is only read.
struct NoLog: EventLog {
  let id = ""
  private static let refusal = LogError.notAppended("this is a read model only")

  func create(_ topics: [String], partitions: Int) async throws(LogError) { throw NoLog.refusal }
  func partitions(of topic: String) async throws(LogError) -> Int? { nil }
  func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    throw NoLog.refusal
  }
  func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter { throw NoLog.refusal }
  func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    throw LogError.unknownTopic(partition.topic)
  }
  func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    throw LogError.unknownTopic(partition.topic)
  }
  func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    throw LogError.unknownTopic(partition.topic)
  }
  func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? { nil }
  func close() async {}
}
