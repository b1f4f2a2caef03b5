import CRdKafka
import EventLog
import Messaging
import Synchronization

/// An idempotent producer. Appends of one partition go out in the order of their calls, each one's records together.
final class Producer: Sendable {
  enum Kind: Sendable {
    /// Of commands: refuses while no broker is reached, goes on after a record failed.
    case shared
    /// Of one partition's events: after a record failed no later one is written, and every append is refused.
    case gapless
  }

  /// The most that may be under way, so that a broker that is away does not fill the memory.
  private static let mostRecords = 200_000
  private static let mostBytes = 128 << 20
  /// librdkafka's `message.max.bytes`: the most that it sends of one partition at once.
  static let largestBatch = 1_000_000
  /// The same, less what it adds to a record.
  private static let largestRecord = largestBatch - 128
  /// A record's number is its append's number, then its index.
  private static let indexBits: UInt64 = 24

  fileprivate struct Pending {
    var offsets: [Int64]
    var remaining: Int
    let bytes: Int
    var failure: LogError?
    /// Whether a record of it is, or may be, in the log.
    var isPossiblyWritten = false
    let done: @Sendable (Result<[Int64], LogError>) -> Void

    func finish() {
      guard let failure else { return done(.success(offsets)) }
      done(.failure(isPossiblyWritten ? .uncertain(Producer.sentence(failure)) : failure))
    }
  }

  fileprivate struct State {
    var topics: [String: Topic] = [:]
    var pending: [UInt64: Pending] = [:]
    var finished: [Pending] = []
    var next: UInt64 = 1
    var records = 0
    var bytes = 0
    /// Why appends are refused.
    var refusal: String?
    var isClosing = false
    /// Told when nothing is under way any more.
    var idle: Waiter?
  }

  @safe fileprivate struct Topic: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private let handle: Handle
  private let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind, _ settings: KafkaSettings, clientID: String) throws(LogError) {
    self.kind = kind
    var properties = [
      "enable.idempotence": "true", "acks": "all", "message.timeout.ms": "0", "linger.ms": "0",
      "queue.buffering.max.messages": "0", "queue.buffering.max.kbytes": "2097151",
    ]
    if kind == .gapless { properties["enable.gapless.guarantee"] = "true" }
    handle = try Handle(.producer, settings, clientID: clientID, properties, isWatching: kind == .shared)
    handle.listen(
      Handle.Listener(
        delivered: { [weak self] in self?.take($0) }, settled: { [weak self] in self?.settle() },
        failed: { [weak self] in self?.refuse($0) }))
  }

  /// Why this producer takes nothing more; nil while it does.
  var refusal: String? { state.withLock { $0.refusal } }

  /// Why no broker is reached; nil while one is.
  var trouble: String? { handle.trouble }

  /// Whether the topic's partitions are known here, so that appends can be handed over.
  func knows(_ topic: String) -> Bool { state.withLock { $0.topics[topic] != nil } }

  /// Learns a topic's partitions.
  func learn(_ topic: String) async throws(LogError) {
    guard !knows(topic) else { return }
    try await unsafe handle.call { [self] client throws(LogError) in
      guard let pointer = unsafe rd_kafka_topic_new(client, topic, nil) else { throw .unknownTopic(topic) }
      let metadata = unsafe Metadata.read(client, pointer, milliseconds: 5000)
      let code = metadata.topic?.code ?? metadata.code
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        unsafe rd_kafka_topic_destroy(pointer)
        if case .unknownTopic = handle.told.refusal(code, topic, to: "write") { throw .unknownTopic(topic) }
        throw .notAppended(Self.sentence(handle.told.refusal(code, topic, to: "write")))
      }
      let extra = state.withLock { state -> Topic? in
        guard state.topics[topic] == nil, !state.isClosing else { return unsafe Topic(pointer: pointer) }
        unsafe state.topics[topic] = Topic(pointer: pointer)
        return nil
      }
      if let extra { unsafe rd_kafka_topic_destroy(extra.pointer) }
    }
  }

  /// Hands records over. `done` is called once, on any thread.
  func submit(
    _ records: [NewRecord], to partition: TopicPartition, done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    guard !records.isEmpty else { return done(.success([])) }
    do throws(LogError) {
      let bytes = try Self.size(of: records)
      if kind == .shared, let trouble = handle.trouble { throw .notAppended(trouble) }
      let isTaken: Void? = try unsafe handle.use { client throws(LogError) in
        try state.withLock { state throws(LogError) in
          try unsafe enqueue(records, bytes, to: partition, client, &state, done)
        }
      }
      guard isTaken != nil else { throw .notAppended("the log is closed") }
    } catch {
      done(.failure(error))
    }
  }

  private func enqueue(
    _ records: [NewRecord], _ bytes: Int, to partition: TopicPartition, _ client: OpaquePointer, _ state: inout State,
    _ done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) throws(LogError) {
    if let refusal = state.refusal { throw .notAppended(refusal) }
    guard let topic = state.topics[partition.topic] else { throw .unknownTopic(partition.topic) }
    guard
      state.records == 0
        || state.records + records.count <= Self.mostRecords && state.bytes + bytes <= Self.mostBytes
    else { throw .notAppended("too many records wait for the broker (\(state.records))") }
    let number = state.next
    for (index, record) in records.enumerated() {
      let code = unsafe record.produce(
        client, topic.pointer, Int32(clamping: partition.partition), number << Self.indexBits | UInt64(index))
      guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
      let failure = LogError.notAppended(
        handle.fatal ?? Self.sentence(handle.told.refusal(code, partition.topic, to: "write")))
      if kind == .gapless { state.refusal = "an append before it failed (\(Self.sentence(failure)))" }
      guard index > 0 else { throw failure }
      state.add(number, count: index, bytes: bytes, failure: failure, done)
      return
    }
    state.add(number, count: records.count, bytes: bytes, failure: nil, done)
  }

  private static func size(of records: [NewRecord]) throws(LogError) -> Int {
    guard records.count < 1 << indexBits else { throw .notAppended("too many records in one append") }
    var bytes = 0
    for record in records {
      let size = record.headers.reduce((record.key?.count ?? 0) + (record.value?.count ?? 0)) {
        $0 + $1.name.utf8.count + $1.value.count + 10
      }
      guard size <= largestRecord else {
        throw .notAppended("a record of \(size) bytes is larger than the \(largestRecord) that Kafka takes")
      }
      bytes += size
    }
    return bytes
  }

  // MARK: - Delivery reports

  private func take(_ delivery: Delivery) {
    state.withLock { state in
      let number = delivery.number >> Self.indexBits
      let index = Int(delivery.number & (1 << Self.indexBits - 1))
      if delivery.code == RD_KAFKA_RESP_ERR_NO_ERROR {
        state.pending[number]?.offsets[index] = delivery.offset
        state.pending[number]?.isPossiblyWritten = true
      } else {
        let isPurged =
          delivery.code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || delivery.code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT
        let failure = LogError.notAppended(
          (isPurged ? handle.fatal ?? state.refusal : nil)
            ?? Self.sentence(handle.told.refusal(delivery.code, delivery.topic, to: "write")))
        if state.pending[number]?.failure == nil { state.pending[number]?.failure = failure }
        if delivery.isPossiblyWritten || state.isClosing {
          state.pending[number]?.isPossiblyWritten = true
        }
        if kind == .gapless, state.refusal == nil {
          state.refusal = "an append before it failed (\(Self.sentence(failure)))"
        }
      }
      state.records -= 1
      guard let pending = state.pending[number] else { return }
      state.pending[number]?.remaining = pending.remaining - 1
      guard pending.remaining == 1, let whole = state.pending.removeValue(forKey: number) else { return }
      state.bytes -= whole.bytes
      state.finished.append(whole)
    }
  }

  /// Answers what is whole, in order, outside of the lock.
  private func settle() {
    let (finished, idle) = state.withLock { state in
      defer { state.finished = [] }
      return (state.finished, state.pending.isEmpty ? state.idle : nil)
    }
    for append in finished { append.finish() }
    idle?.wake()
  }

  private static func sentence(_ error: LogError) -> String {
    switch error {
    case .notAppended(let why), .uncertain(let why), .failed(let why): why
    default: error.description
    }
  }

  func refuse(_ why: String) { state.withLock { if $0.refusal == nil { $0.refusal = why } } }

  // MARK: - Closing

  /// Lets what is under way finish, for so long; then ends it as uncertain, and destroys the client.
  func close(patience: Duration) async {
    refuse("the log is closed")
    state.withLock { $0.isClosing = true }
    let waiter = Waiter()
    let isIdle = state.withLock { state in
      state.idle = waiter
      return state.pending.isEmpty
    }
    if !isIdle { await waiter.wait(atMost: patience) }
    _ = try? unsafe handle.use { client in
      unsafe rd_kafka_purge(client, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
    }
    let topics = state.withLock { state in
      defer { state.topics = [:] }
      return Array(state.topics.values)
    }
    for topic in topics { unsafe rd_kafka_topic_destroy(topic.pointer) }
    await handle.close()
    // What librdkafka gave no report of.
    let left = state.withLock { state in
      defer { state.pending = [:] }
      return Array(state.pending.values)
    }
    for append in left { append.done(.failure(.uncertain("the log was closed before the broker confirmed it"))) }
  }
}

extension Producer.State {
  fileprivate mutating func add(
    _ number: UInt64, count: Int, bytes: Int, failure: LogError?,
    _ done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    next += 1
    records += count
    self.bytes += bytes
    pending[number] = Producer.Pending(
      offsets: Array(repeating: -1, count: count), remaining: count, bytes: bytes, failure: failure,
      isPossiblyWritten: failure != nil, done: done)
  }
}
