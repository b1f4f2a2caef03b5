package import Messaging

/// An append-only log of topics split into partitions. Two implementations: embedded and Kafka.
///
/// Ordering: records of one partition are read in the order of their offsets, by every reader. Durability: an append
/// that returned survives the loss of the process and of the machine. Threads: every method may be called from any.
package protocol EventLog: Sendable {
  /// Which log this is; kept beside every position, so that a database never reads on in another log.
  var id: String { get }

  /// Makes the topics that are missing, each with that many partitions. Throws `partitionCount` where one exists with
  /// another count; changes nothing then.
  func create(_ topics: [String], partitions: Int) async throws(LogError)

  /// The number of a topic's partitions; nil where there is no such topic.
  func partitions(of topic: String) async throws(LogError) -> Int?

  /// Appends in order to a topic that many write to (commands); returns the offsets once all are durable. Where it
  /// throws `notAppended`, none was handed over; on any other error some may be in the log.
  @discardableResult
  func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64]

  /// As above, for a caller that does not wait: `done` is called once, on any thread, and must be quick.
  func append(
    _ records: [NewRecord], to partition: TopicPartition, done: @escaping @Sendable (Result<[Int64], LogError>) -> Void)

  /// The writer of a partition that this process alone writes to (events). Claims, not this call, keep two owners
  /// apart.
  func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter

  /// A reader from an offset on (a record with exactly that offset need not exist).
  /// Throws `outOfRange` where the offset is below the first record or above the end.
  func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader

  /// The offset of the first record, and the offset that the next record will have or exceed.
  func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64>

  /// The offset of the first record taken at or after that time; the end where there is none.
  func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64

  /// The offset of the first record that carries that sequence, valid or void; nil where none does.
  func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64?

  /// Why the log does not work just now, in one sentence; nil while it does.
  var trouble: String? { get }

  /// Tells the log's own tools how far a group has read, where it has such tools; nothing relies on it, and what goes
  /// wrong is passed over.
  func writeGroupOffset(group: String, _ positions: [TopicPartition: Int64]) async

  /// Lets appends under way finish, ends every reader, and closes. Appends after it throw `notAppended`.
  func close() async
}

extension EventLog {
  package var trouble: String? { nil }
  package func writeGroupOffset(group: String, _ positions: [TopicPartition: Int64]) async {}

  package func append(
    _ records: [NewRecord], to partition: TopicPartition, done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    Task.detached {
      do throws(LogError) {
        done(.success(try await append(records, to: partition)))
      } catch {
        done(.failure(error))
      }
    }
  }
}

/// Appends to one partition, in order and without gaps: where a record failed, no later one is in the log, and every
/// further append throws until a new writer is made.
package protocol LogWriter: Sendable {
  /// Returns the offsets once all are durable. Runs where the caller runs.
  @discardableResult
  nonisolated(nonsending) func append(_ records: [NewRecord]) async throws(LogError) -> [Int64]
  func close() async
}

/// Reads one partition in order.
package protocol LogReader: Sendable {
  /// Waits until at least one record is there, then returns what is there, at most `limit`, never waiting to fill.
  /// Empty once the reader or the log is closed or the calling task is cancelled. Runs where the caller runs, so that
  /// an actor that waits is woken on its own queue.
  nonisolated(nonsending) func next(atMost limit: Int) async throws(LogError) -> [Record]
  func close()
}

/// What a log refuses or cannot do. `description` is one plain sentence.
package enum LogError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Nothing was handed over (the log is closed, or not reachable): the same append may be tried again.
  case notAppended(String)
  /// It may or may not be in the log.
  case uncertain(String)
  /// The position is outside the log: records were deleted, or it is another log.
  case outOfRange(TopicPartition, offset: Int64, available: Range<Int64>)
  /// The topic exists with another number of partitions.
  case partitionCount(topic: String, found: Int, wanted: Int)
  case unknownTopic(String)
  /// No broker answers just now; nothing was asked for or written.
  case unreachable(String)
  /// The storage does not work: corrupt, full, not readable.
  case failed(String)

  /// Whether it may be over soon: the same may be tried again.
  package var isPassing: Bool {
    switch self {
    case .notAppended, .uncertain, .unknownTopic, .unreachable: true
    case .outOfRange, .partitionCount, .failed: false
    }
  }

  package var description: String {
    switch self {
    case .notAppended(let why): "nothing was written to the log: \(why)"
    case .uncertain(let why): "the log did not confirm the write: \(why)"
    case .outOfRange(let partition, let offset, let available):
      "position \(offset) of \(partition) is outside the log, which holds \(available.lowerBound) to "
        + "\(available.upperBound); records were deleted, or this is another log"
    case .partitionCount(let topic, let found, let wanted):
      "topic \(topic) has \(found) partitions, not \(wanted); start with --partition-count \(found)"
    case .unknownTopic(let topic): "the log has no topic \(topic)"
    case .unreachable(let why), .failed(let why): why
    }
  }
}
