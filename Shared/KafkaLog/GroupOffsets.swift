import CRdKafka
import EventLog
import Synchronization

/// Writes positions as the offsets of consumer groups, for tools that show the lag. A client for each group, made with
/// its first write: librdkafka commits for the group that a client is of. Its administrative request for any group
/// aborts the process where the broker goes away meanwhile (2.0.2: `eonce->refcnt > 0`).
final class GroupOffsets: Sendable {
  private struct State {
    var handles: [String: Handle] = [:]
    var isClosed = false
  }
  private let settings: KafkaSettings
  private let clientID: String
  private let state = Mutex(State())

  init(_ settings: KafkaSettings, clientID: String) {
    self.settings = settings
    self.clientID = clientID
  }

  /// Waits at most five seconds for the answer, and does not look at it.
  func write(_ group: String, _ positions: [TopicPartition: Int64]) async throws(LogError) {
    guard let handle = try handle(of: group) else { return }
    try await unsafe handle.call { client throws(LogError) in
      let list = unsafe rd_kafka_topic_partition_list_new(Int32(clamping: positions.count))
      defer { unsafe rd_kafka_topic_partition_list_destroy(list) }
      for (partition, offset) in positions {
        unsafe rd_kafka_topic_partition_list_add(list, partition.topic, Int32(clamping: partition.partition))?.pointee
          .offset = offset
      }
      guard let queue = unsafe rd_kafka_queue_new(client) else { return }
      defer { unsafe rd_kafka_queue_destroy(queue) }
      guard unsafe rd_kafka_commit_queue(client, list, queue, nil, nil) == RD_KAFKA_RESP_ERR_NO_ERROR,
        let event = unsafe rd_kafka_queue_poll(queue, 5000)
      else { return }
      unsafe rd_kafka_event_destroy(event)
    }
  }

  private func handle(of group: String) throws(LogError) -> Handle? {
    try state.withLock { state throws(LogError) in
      if state.isClosed { return nil }
      if let known = state.handles[group] { return known }
      let handle = try Handle(
        .consumer, settings, clientID: clientID,
        [
          "group.id": group, "enable.auto.commit": "false", "enable.auto.offset.store": "false",
          "allow.auto.create.topics": "false", "auto.offset.reset": "error",
        ])
      state.handles[group] = handle
      return handle
    }
  }

  func close() async {
    let handles = state.withLock { state in
      defer { state = State(handles: [:], isClosed: true) }
      return Array(state.handles.values)
    }
    for handle in handles { await handle.close() }
  }
}
