import CRdKafka
import EventLog
import Synchronization

/// One partition's queue of fetched records, and who waits for the next one.
final class Feed: Sendable {
  /// How many records librdkafka keeps ahead, about; one more fetch may come on top. A partition whose queue is full is
  /// left out of the next fetch, which may wait 100 ms for the other partitions: these must last as long.
  static let queued = 8000
  /// About the most bytes that one call returns, so that large records do not pile up in memory.
  private static let mostBytes = 4 << 20
  /// After so many records, or bytes, the queue has room for another fetch.
  private static let nudgeRecords = 1000
  private static let nudgeBytes = 1 << 20

  @safe private struct State: @unchecked Sendable {
    var queue: OpaquePointer?
    /// What ends the feed, once the records before it are taken.
    var failure: Failure?
    /// Of the last record.
    var headers: [Header] = []
    /// Taken since the last nudge.
    var records = 0
    var bytes = 0
  }

  private struct Waiting {
    var waiter: Waiter?
    var isClosed = false
  }

  enum Failure {
    /// The position is outside of the partition.
    case outOfRange
    case error(LogError)
  }

  enum Taken {
    case records([Record])
    case failure(Failure)
    case nothingYet
  }

  let partition: TopicPartition
  private let consumer: Consumer
  private let bell = Bell()
  private let state = Mutex(State())
  /// Apart from `state`: the bell is rung under librdkafka's lock, which a take holds `state` to get.
  private let waiting = Mutex(Waiting())

  init(_ partition: TopicPartition, _ consumer: Consumer) {
    self.partition = partition
    self.consumer = consumer
  }

  func open(_ queue: OpaquePointer) {
    bell.answer(by: { [weak self] in self?.wake() })
    unsafe bell.hang(on: queue)
    state.withLock { unsafe $0.queue = queue }
    wake()
  }

  /// Takes the queue away and hands it over, if it was there.
  func release(_ body: (OpaquePointer) -> Void) {
    let queue = unsafe state.withLock { state in
      defer { unsafe state.queue = nil }
      return unsafe state.queue
    }
    guard let queue = unsafe queue else { return }
    unsafe bell.unhang(from: queue)
    unsafe body(queue)
  }

  // MARK: - Waiting

  var isClosed: Bool { waiting.withLock { $0.isClosed } }

  /// Who is woken by the next record, or at once where the feed is closed.
  func wakeNext(_ waiter: Waiter) {
    let isClosed = waiting.withLock { waiting in
      waiting.waiter = waiter
      return waiting.isClosed
    }
    if isClosed { waiter.wake() }
  }

  private func wake() {
    waiting.withLock { waiting in
      defer { waiting.waiter = nil }
      return waiting.waiter
    }?.wake()
  }

  /// Ends the wait. Called any number of times.
  func close() {
    let isFirst = waiting.withLock { waiting in
      defer { waiting.isClosed = true }
      return !waiting.isClosed
    }
    guard isFirst else { return }
    wake()
    consumer.stop(self)
  }

  // MARK: - Taking

  /// What is there, at most `limit`. Does not block.
  func take(atMost limit: Int) -> Taken {
    let (taken, nudges) = state.withLock { state -> (Taken, Bool) in
      if let failure = state.failure { return (.failure(failure), false) }
      guard let queue = unsafe state.queue else { return (.nothingYet, false) }
      var records: [Record] = []
      var bytes = 0
      while records.count < limit, bytes < Self.mostBytes, state.failure == nil,
        let event = unsafe rd_kafka_queue_poll(queue, 0)
      {
        defer { unsafe rd_kafka_event_destroy(event) }
        if let message = unsafe rd_kafka_event_message_next(event) {
          let code = unsafe message.pointee.err
          if code == RD_KAFKA_RESP_ERR_NO_ERROR {
            let record = unsafe Record(message, after: state.headers)
            state.headers = record.headers
            bytes += record.size
            records.append(record)
          } else {
            state.failure = failure(code)
          }
        } else if unsafe rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR {
          state.failure = unsafe failure(rd_kafka_event_error(event))
        }
      }
      state.records += records.count
      state.bytes += bytes
      let nudges = state.records >= Self.nudgeRecords || state.bytes >= Self.nudgeBytes
      if nudges { (state.records, state.bytes) = (0, 0) }
      if records.isEmpty { return (state.failure.map { .failure($0) } ?? .nothingYet, nudges) }
      return (.records(records), nudges)
    }
    if nudges { consumer.nudge(partition) }
    return taken
  }

  /// Nil for what librdkafka goes on after.
  private func failure(_ code: rd_kafka_resp_err_t) -> Failure? {
    switch code {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE: .outOfRange
    case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__TIMED_OUT,
      RD_KAFKA_RESP_ERR__RESOLVE, RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR__SSL,
      RD_KAFKA_RESP_ERR__PARTITION_EOF, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
      RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH, RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH,
      RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
      nil
    default: .error(consumer.handle.told.refusal(code, partition.topic, to: "read"))
    }
  }
}
