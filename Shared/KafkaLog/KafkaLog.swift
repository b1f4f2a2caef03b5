package import EventLog
import Messaging
import Synchronization

/// The log past one machine: Kafka, by librdkafka.
///
/// One client reads (a second one only where a partition is read twice at once), one produces commands, and each
/// `LogWriter` has its own. Nothing here waits for a broker without a bound, but records that were handed over: these
/// stay under way until they are in the log or the log is closed.
package final class KafkaLog: EventLog {
  struct State {
    /// Of each topic that exists.
    var partitions: [String: Int] = [:]
    var consumers: [Consumer]
    var shared: Producer?
    var writers: [ObjectIdentifier: Producer] = [:]
    var isClosed = false
  }

  package let id: String
  let settings: KafkaSettings
  let topicSettings: TopicSettings
  let clientID: String
  let report: @Sendable (String) -> Void
  /// Metadata, bounds and most readers.
  let main: Consumer
  let groups: GroupOffsets
  let state: Mutex<State>

  private init(
    id: String, _ main: Consumer, _ settings: KafkaSettings, _ topics: TopicSettings, _ clientID: String,
    _ report: @escaping @Sendable (String) -> Void
  ) {
    self.id = id
    self.main = main
    self.settings = settings
    topicSettings = topics
    self.clientID = clientID
    self.report = report
    groups = GroupOffsets(settings, clientID: clientID)
    state = Mutex(State(consumers: [main]))
  }

  /// Connects and returns once a broker has told the cluster's id; throws in one plain sentence once it is refused, or
  /// where none answered within `patience`.
  ///
  /// - Parameter report: told, a sentence each, what is wrong but does not stop the log: settings of existing topics.
  package static func open(
    _ settings: KafkaSettings, topics: TopicSettings = TopicSettings(), clientID: String = "daybook",
    patience: Duration = .seconds(10), report: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(LogError) -> KafkaLog {
    let main = try Consumer(settings, clientID: clientID)
    do {
      let id = try await main.clusterID(patience)
      return KafkaLog(id: id, main, settings, topics, clientID, report)
    } catch {
      Task.detached { await main.close() }
      throw error
    }
  }

  /// Why the broker is not reached now, in one sentence; nil while it is.
  package var trouble: String? { main.handle.trouble ?? state.withLock { $0.shared }?.trouble }

  // MARK: - Appending

  @discardableResult
  package func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await withCheckedContinuation { continuation in
      append(records, to: partition) { continuation.resume(returning: $0) }
    }.get()
  }

  package func append(
    _ records: [NewRecord], to partition: TopicPartition, done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    if let known = state.withLock({ $0.partitions[partition.topic] }), (0..<known).contains(partition.partition),
      let producer = state.withLock({ $0.shared }), producer.refusal == nil, producer.knows(partition.topic)
    {
      return producer.submit(records, to: partition, done: done)
    }
    Task.detached { [self] in
      do throws(LogError) {
        try ensureOpen()
        try await requireToWrite(partition)
        let producer = try shared()
        try await producer.learn(partition.topic)
        producer.submit(records, to: partition, done: done)
      } catch {
        done(.failure(error))
      }
    }
  }

  private func ensureOpen() throws(LogError) {
    if state.withLock({ $0.isClosed }) { throw .notAppended("the log is closed") }
  }

  /// A topic that cannot be asked for now: nothing is appended.
  private func requireToWrite(_ partition: TopicPartition) async throws(LogError) {
    do {
      try await require(partition, to: "write")
    } catch {
      switch error {
      case .failed(let why), .unreachable(let why): throw .notAppended(why)
      default: throw error
      }
    }
  }

  /// The producer of commands; a new one where the last one has failed.
  private func shared() throws(LogError) -> Producer {
    let (producer, old) = try state.withLock { state throws(LogError) -> (Producer, Producer?) in
      if state.isClosed { throw .notAppended("the log is closed") }
      if let producer = state.shared, producer.refusal == nil { return (producer, nil) }
      let old = state.shared
      let producer = try Producer(.shared, settings, clientID: clientID)
      state.shared = producer
      return (producer, old)
    }
    if let old { Task.detached { [patience] in await old.close(patience: patience) } }
    return producer
  }

  package func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    try ensureOpen()
    try await require(partition, to: "write")
    let producer = try state.withLock { state throws(LogError) in
      if state.isClosed { throw .notAppended("the log is closed") }
      let producer = try Producer(.gapless, settings, clientID: clientID)
      state.writers[ObjectIdentifier(producer)] = producer
      return producer
    }
    do {
      try await producer.learn(partition.topic)
    } catch {
      await closeWriter(producer)
      throw error
    }
    return KafkaWriter(self, producer, partition)
  }

  func closeWriter(_ producer: Producer) async {
    guard state.withLock({ $0.writers.removeValue(forKey: ObjectIdentifier(producer)) }) != nil else { return }
    await producer.close(patience: patience)
  }

  // MARK: - Closing

  /// How long what is under way may take once a client closes: none of it gets through while no broker is reached.
  private var patience: Duration { trouble == nil ? .seconds(1) : .milliseconds(50) }

  package func close() async {
    let (isFirst, consumers, producers) = state.withLock { state in
      defer { state.isClosed = true }
      defer { state.writers = [:] }
      return (!state.isClosed, state.consumers, Array(state.writers.values) + (state.shared.map { [$0] } ?? []))
    }
    guard isFirst else { return await main.close() }
    await withTaskGroup { group in
      for producer in producers { group.addTask { [patience] in await producer.close(patience: patience) } }
      for consumer in consumers { group.addTask { await consumer.close() } }
      group.addTask { [groups] in await groups.close() }
    }
  }
}
