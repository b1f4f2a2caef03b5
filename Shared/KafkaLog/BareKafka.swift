import CRdKafka
import Dispatch
package import EventLog
import Synchronization

/// What librdkafka alone does with the records of a topic, on the same broker with the same bytes: the floors of the
/// benchmark. Rates are records a second from the first fetch, or the first confirmed record, on.
package struct BareKafka: Sendable {
  private let settings: KafkaSettings
  private static let clientID = "daybook-bench"
  private static let batch = 1000

  package init(_ log: KafkaLog) { settings = log.settings }

  /// Reads a partition from its beginning to its end by `rd_kafka_consume_batch` with librdkafka's own sizes, and
  /// touches each key, value and header: headers are parsed when they are asked for first.
  package func consumeRate(_ partition: TopicPartition, records: Int) async throws(LogError) -> Double {
    let handle = try Handle(.consumer, settings, clientID: Self.clientID, Self.consuming)
    defer { Task.detached { await handle.close() } }
    return try await unsafe handle.call { client throws(LogError) in
      var touched = 0
      let clock = ContinuousClock()
      var start: ContinuousClock.Instant?
      var counted = 0
      try unsafe Self.consume(client, partition, atMost: records) { messages in
        for index in unsafe messages.indices {
          guard let message = unsafe messages[index] else { continue }
          touched &+= unsafe Self.touch(message)
          unsafe rd_kafka_message_destroy(message)
        }
        // The connection and the first fetch are over by now.
        if start == nil { start = clock.now } else { counted += unsafe messages.count }
      }
      guard let start, touched != 0 else { return 0 }
      return Double(counted) / (clock.now - start).seconds
    }
  }

  /// Writes the first records of a partition to another one, as they are, by an idempotent producer with librdkafka's own
  /// sizes and waits, until the broker has confirmed them all.
  package func produceRate(
    _ partition: TopicPartition, to target: TopicPartition, records: Int
  ) async throws(LogError) -> Double {
    let reading = try Handle(.consumer, settings, clientID: Self.clientID, Self.consuming)
    defer { Task.detached { await reading.close() } }
    let writing = try Handle(.producer, settings, clientID: Self.clientID, Self.producing)
    defer { Task.detached { await writing.close() } }
    let confirmed = Confirmed()
    writing.listen(
      Handle.Listener(delivered: { confirmed.count($0) }, failed: { _ in confirmed.fail() }))
    return try await unsafe reading.call { client throws(LogError) in
      var messages = unsafe [UnsafeMutablePointer<rd_kafka_message_t>?]()
      defer { for index in unsafe messages.indices { unsafe rd_kafka_message_destroy(messages[index]) } }
      try unsafe Self.consume(client, partition, atMost: records) { unsafe messages += $0 }
      let rate = try unsafe writing.use { client throws(LogError) in
        guard let topic = unsafe rd_kafka_topic_new(client, target.topic, nil) else {
          throw .unknownTopic(target.topic)
        }
        defer { unsafe rd_kafka_topic_destroy(topic) }
        // The first one brings the connection and the producer's number.
        try unsafe Self.produce(messages.prefix(1), client, topic, target, confirmed)
        let start = ContinuousClock.now
        try unsafe Self.produce(messages.dropFirst(), client, topic, target, confirmed)
        return unsafe Double(messages.count - 1) / (ContinuousClock.now - start).seconds
      }
      guard let rate else { throw .failed("the client was closed") }
      return rate
    }
  }

  private static let consuming = [
    "enable.auto.commit": "false", "auto.offset.reset": "error", "enable.partition.eof": "false",
  ]
  private static let producing = [
    "enable.idempotence": "true", "acks": "all", "message.timeout.ms": "0", "queue.buffering.max.messages": "0",
    "queue.buffering.max.kbytes": "2097151",
  ]

  private final class Confirmed: Sendable {
    private let awaited = Mutex(0)
    private let hasFailed = Mutex(false)
    private let all = DispatchSemaphore(value: 0)

    func expect(_ count: Int) { awaited.withLock { $0 = count } }

    func count(_ delivery: Delivery) {
      if delivery.code != RD_KAFKA_RESP_ERR_NO_ERROR { return fail() }
      let isLast = awaited.withLock { awaited in
        awaited -= 1
        return awaited == 0
      }
      if isLast { all.signal() }
    }

    func fail() {
      hasFailed.withLock { $0 = true }
      all.signal()
    }

    func wait() throws(LogError) {
      all.wait()
      if hasFailed.withLock({ $0 }) { throw .failed("librdkafka could not write the records of a floor") }
    }
  }

  private static func produce(
    _ messages: ArraySlice<UnsafeMutablePointer<rd_kafka_message_t>?>, _ client: OpaquePointer, _ topic: OpaquePointer,
    _ target: TopicPartition, _ confirmed: Confirmed
  ) throws(LogError) {
    guard unsafe !messages.isEmpty else { return }
    unsafe confirmed.expect(messages.count)
    for index in unsafe messages.indices {
      guard let message = unsafe messages[index] else { continue }
      let it = unsafe message.pointee
      var headers: OpaquePointer?
      if unsafe rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR, let parsed = unsafe headers {
        unsafe headers = rd_kafka_headers_copy(parsed)
      }
      let code = unsafe daybook_kafka_produce(
        client, topic, Int32(clamping: target.partition), it.key, it.key_len, it.payload, it.len, headers, 0, 0)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        if let headers = unsafe headers { unsafe rd_kafka_headers_destroy(headers) }
        throw .failed("librdkafka did not take the records of a floor: \(KafkaTrouble.text(code))")
      }
    }
    try confirmed.wait()
  }

  private static func consume(
    _ client: OpaquePointer, _ partition: TopicPartition, atMost limit: Int,
    _ body: (ArraySlice<UnsafeMutablePointer<rd_kafka_message_t>?>) -> Void
  ) throws(LogError) {
    guard let topic = unsafe rd_kafka_topic_new(client, partition.topic, nil) else {
      throw .unknownTopic(partition.topic)
    }
    let number = Int32(clamping: partition.partition)
    guard unsafe rd_kafka_consume_start(topic, number, 0) == 0 else {
      unsafe rd_kafka_topic_destroy(topic)
      throw .failed("librdkafka cannot read \(partition)")
    }
    defer {
      unsafe rd_kafka_consume_stop(topic, number)
      unsafe rd_kafka_topic_destroy(topic)
    }
    var buffer = unsafe [UnsafeMutablePointer<rd_kafka_message_t>?](repeating: nil, count: batch)
    var count = 0
    while count < limit {
      let got = unsafe rd_kafka_consume_batch(topic, number, 10_000, &buffer, min(batch, limit - count))
      guard got > 0 else { throw .failed("librdkafka reads no further in \(partition) after \(count) of \(limit)") }
      let code = unsafe buffer[0]?.pointee.err ?? RD_KAFKA_RESP_ERR_NO_ERROR
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw .failed("\(partition): \(KafkaTrouble.text(code))") }
      unsafe body(buffer[..<got])
      count += got
    }
  }

  private static func touch(_ message: UnsafeMutablePointer<rd_kafka_message_t>) -> Int {
    let it = unsafe message.pointee
    var sum = unsafe 1 &+ first(it.key, it.key_len) &+ first(it.payload, it.len)
    var headers: OpaquePointer?
    guard unsafe rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR else { return sum }
    var index = 0
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var size = 0
    while unsafe rd_kafka_header_get_all(headers, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
      unsafe sum &+= first(value, size)
      index += 1
    }
    return sum
  }

  private static func first(_ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    guard let bytes = unsafe bytes, count > 0 else { return 0 }
    return unsafe Int(bytes.load(as: UInt8.self))
  }
}
