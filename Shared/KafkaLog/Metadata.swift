import CRdKafka
import EventLog

/// What a broker says about topics.
struct Metadata {
  struct Topic {
    let code: rd_kafka_resp_err_t
    let partitions: Int
    /// The fewest replicas that a partition has.
    let replicas: Int
    /// Whether every partition has a leader.
    let isReady: Bool
  }

  let code: rd_kafka_resp_err_t
  var topic: Topic?

  /// Asks for one topic, or for a sign of life only. Blocks.
  static func read(_ client: OpaquePointer, _ topic: OpaquePointer?, milliseconds: Int32) -> Metadata {
    var found: UnsafePointer<rd_kafka_metadata>?
    let code = unsafe rd_kafka_metadata(client, 0, topic, &found, milliseconds)
    var metadata = Metadata(code: code)
    guard let answer = unsafe found else { return metadata }
    defer { unsafe rd_kafka_metadata_destroy(answer) }
    if unsafe topic != nil, unsafe answer.pointee.topic_cnt > 0 {
      metadata.topic = unsafe Topic(answer.pointee.topics[0])
    }
    return metadata
  }
}

extension Metadata.Topic {
  fileprivate init(_ topic: rd_kafka_metadata_topic) {
    code = unsafe topic.err
    partitions = unsafe Int(topic.partition_cnt)
    let all = unsafe UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
    replicas = unsafe all.map { unsafe Int($0.replica_cnt) }.min() ?? 0
    isReady = unsafe all.allSatisfy { unsafe $0.leader >= 0 } && !all.isEmpty
  }
}
