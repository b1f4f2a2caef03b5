import CRdKafka
import Dispatch
import EventLog
import Synchronization

/// A consumer client that reads partitions side by side, each one once. No group: positions are in our databases.
final class Consumer: Sendable {
  private struct State {
    var feeds: [TopicPartition: Feed] = [:]
    var topics: [String: Topic] = [:]
    var isClosed = false
    var isNudging = false
    /// Whose queue went down while a nudge was under way.
    var nudged: TopicPartition?
  }

  @safe private struct Topic: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  let handle: Handle
  private let state = Mutex(State())
  /// Starts and stops, in order: a partition may be taken again before its last reader is stopped.
  private let control = DispatchQueue(label: "daybook.kafka.control")
  private let nudges = DispatchQueue(label: "daybook.kafka.nudge")

  init(_ settings: KafkaSettings, clientID: String) throws(LogError) {
    handle = try Handle(
      .consumer, settings, clientID: clientID,
      [
        "allow.auto.create.topics": "false", "enable.auto.commit": "false", "auto.commit.enable": "false",
        "enable.auto.offset.store": "false", "enable.partition.eof": "false", "auto.offset.reset": "error",
        "fetch.min.bytes": "1", "fetch.wait.max.ms": "100", "fetch.error.backoff.ms": "100",
        "topic.metadata.propagation.max.ms": "1000",
        "fetch.message.max.bytes": "1048576", "queued.min.messages": String(Feed.queued),
        "queued.max.messages.kbytes": "4096",
      ], isWatching: true)
  }

  /// A feed of a partition that this client does not read yet; nil where it does.
  func feed(of partition: TopicPartition, from offset: Int64) -> Feed? {
    state.withLock { state in
      guard !state.isClosed, state.feeds[partition] == nil else { return nil }
      let feed = Feed(partition, self)
      state.feeds[partition] = feed
      return feed
    }
  }

  func start(_ feed: Feed, from offset: Int64) async throws(LogError) {
    let result: Result<Void, LogError> = await withCheckedContinuation { continuation in
      control.async { [self] in
        continuation.resume(returning: Result { () throws(LogError) in try startNow(feed, offset) })
      }
    }
    do {
      try result.get()
    } catch {
      stop(feed)
      throw error
    }
  }

  private func startNow(_ feed: Feed, _ offset: Int64) throws(LogError) {
    let partition = feed.partition
    // Nothing is started behind the last stop.
    if state.withLock({ $0.isClosed }) { throw .failed("the log is closed") }
    let isStarted: Void? = try unsafe handle.use { client throws(LogError) in
      guard let topic = unsafe topic(partition.topic, client) else { throw .unknownTopic(partition.topic) }
      guard let queue = unsafe rd_kafka_queue_new(client) else { throw .failed("librdkafka has no queue") }
      guard unsafe rd_kafka_consume_start_queue(topic, Int32(clamping: partition.partition), offset, queue) == 0 else {
        let code = rd_kafka_last_error()
        unsafe rd_kafka_queue_destroy(queue)
        throw handle.told.refusal(code, partition.topic, to: "read")
      }
      unsafe feed.open(queue)
    }
    guard isStarted != nil else { throw .failed("the log is closed") }
  }

  private func topic(_ name: String, _ client: OpaquePointer) -> OpaquePointer? {
    if let known = state.withLock({ $0.topics[name] }) { return unsafe known.pointer }
    guard let pointer = unsafe rd_kafka_topic_new(client, name, nil) else { return nil }
    state.withLock { unsafe $0.topics[name] = Topic(pointer: pointer) }
    return unsafe pointer
  }

  func stop(_ feed: Feed) {
    state.withLock { if $0.feeds[feed.partition] === feed { $0.feeds[feed.partition] = nil } }
    control.async { [self] in stopNow(feed) }
  }

  private func stopNow(_ feed: Feed) {
    guard let topic = state.withLock({ $0.topics[feed.partition.topic] }) else { return }
    unsafe feed.release { queue in
      unsafe rd_kafka_consume_stop(topic.pointer, Int32(clamping: feed.partition.partition))
      unsafe rd_kafka_queue_destroy(queue)
    }
  }

  /// Wakes the partition's fetching. librdkafka does not look at a full queue again before something wakes its thread,
  /// or for up to a second: any request to the partition's broker does.
  func nudge(_ partition: TopicPartition) {
    let begins = state.withLock { state in
      state.nudged = partition
      defer { state.isNudging = true }
      return !state.isNudging && !state.isClosed
    }
    guard begins else { return }
    nudges.async { [self] in
      while let partition = state.withLock({ state in
        defer { state.nudged = nil }
        if state.nudged == nil { state.isNudging = false }
        return state.nudged
      }) {
        _ = try? unsafe handle.use { client in
          var low: Int64 = 0
          var high: Int64 = 0
          _ = unsafe rd_kafka_query_watermark_offsets(
            client, partition.topic, Int32(clamping: partition.partition), &low, &high, 500)
        }
      }
    }
  }

  func close() async {
    let feeds = state.withLock { state in
      state.isClosed = true
      defer { state.feeds = [:] }
      return Array(state.feeds.values)
    }
    for feed in feeds { feed.close() }
    await withCheckedContinuation { continuation in
      control.async { [self] in
        for feed in feeds { stopNow(feed) }
        let topics = state.withLock { state in
          defer { state.topics = [:] }
          return Array(state.topics.values)
        }
        for topic in topics { unsafe rd_kafka_topic_destroy(topic.pointer) }
        continuation.resume()
      }
    }
    await handle.close()
  }
}
