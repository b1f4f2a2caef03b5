import CRdKafka
package import EventLog
package import Messaging

extension KafkaLog {
  package func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    let available = try await bounds(of: partition)
    guard offset >= available.lowerBound, offset <= available.upperBound else {
      throw .outOfRange(partition, offset: offset, available: available)
    }
    let (consumer, feed) = try feed(of: partition, from: offset)
    try await consumer.start(feed, from: offset)
    return KafkaReader(self, feed, from: offset)
  }

  /// On the first client that does not read this partition yet.
  private func feed(of partition: TopicPartition, from offset: Int64) throws(LogError) -> (Consumer, Feed) {
    try state.withLock { state throws(LogError) in
      if state.isClosed { throw .failed("the log is closed") }
      for consumer in state.consumers {
        if let feed = consumer.feed(of: partition, from: offset) { return (consumer, feed) }
      }
      let consumer = try Consumer(settings, clientID: clientID)
      state.consumers.append(consumer)
      guard let feed = consumer.feed(of: partition, from: offset) else { throw .failed("the log is closed") }
      return (consumer, feed)
    }
  }

  package func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try await require(partition, to: "read")
    let told = main.handle.told
    do {
      return try await unsafe main.handle.call { client throws(LogError) in
        var low: Int64 = 0
        var high: Int64 = 0
        let code = KafkaTrouble.withoutLeader {
          unsafe rd_kafka_query_watermark_offsets(
            client, partition.topic, Int32(clamping: partition.partition), &low, &high, 5000)
        }
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw told.refusal(code, partition.topic, to: "read") }
        return low..<max(low, high)
      }
    } catch {
      // Where the topic was deleted, nobody may answer for its partitions: the next question is whether it is there.
      switch error {
      case .unknownTopic, .unreachable: forget(partition.topic)
      default: break
      }
      throw error
    }
  }

  package func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    let end = try await bounds(of: partition).upperBound
    let told = main.handle.told
    let found = try await unsafe main.handle.call { client throws(LogError) -> Int64 in
      guard let list = unsafe rd_kafka_topic_partition_list_new(1) else { throw .failed("there is no memory") }
      defer { unsafe rd_kafka_topic_partition_list_destroy(list) }
      let entry = unsafe rd_kafka_topic_partition_list_add(
        list, partition.topic, Int32(clamping: partition.partition))
      let code = KafkaTrouble.withoutLeader {
        // Negative times are words of the protocol.
        unsafe entry?.pointee.offset = max(0, time.milliseconds)
        let code = unsafe rd_kafka_offsets_for_times(client, list, 5000)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR, let entry = unsafe entry else { return code }
        return unsafe entry.pointee.err
      }
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw told.refusal(code, partition.topic, to: "read") }
      return unsafe entry?.pointee.offset ?? -1
    }
    return found >= 0 ? found : end
  }

  /// Every sequence before it took an offset, so its record cannot stand before that; and a sequence is first appended
  /// behind the one before it, so that a higher one ends the search. In between stand claims and void records only.
  package func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    let bounds = try await bounds(of: partition)
    let start = max(bounds.lowerBound, sequence - 1)
    guard sequence > 0, start < bounds.upperBound else { return nil }
    let reader = try await reader(of: partition, from: start)
    defer { reader.close() }
    while true {
      let records = try await reader.next(atMost: 500)
      for record in records {
        guard record.offset < bounds.upperBound else { return nil }
        let found = record.sequence
        if found == sequence { return record.offset }
        if let found, found > sequence { return nil }
      }
      guard let last = records.last else { throw .failed("the log is closed") }
      if last.offset + 1 >= bounds.upperBound { return nil }
    }
  }
}

extension Record {
  fileprivate var sequence: Int64? {
    headers.first { $0.name == "ce_sequence" }.flatMap { String(validating: $0.value, as: UTF8.self) }
      .flatMap { Int64($0) }
  }
}
