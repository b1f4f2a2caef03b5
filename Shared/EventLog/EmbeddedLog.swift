import Dispatch
package import Messaging
package import SQLite
import Synchronization

/// The log of one machine: one SQLite file, owned by one process.
///
/// One writer takes every append that waits, in the order in which they came, into one transaction with one sync.
/// Nothing is readable, woken for or acknowledged before it commits. Readers at the end of a partition are served
/// from memory and woken by the writer; nothing polls.
package final class EmbeddedLog: EventLog {
  /// What a log is opened for.
  package enum Mode: Sendable {
    /// Everything; the file is made where it is missing.
    case writing
    /// A stopped log as it stands: appends are refused, and the file must exist.
    case reading
  }

  package let id: String
  let pool: ReaderPool
  let state: Mutex<State>
  private let file: Mutex<LogFile?>
  private let lock: FileLock
  private let queue = DispatchQueue(label: "daybook.log")
  private let now: @Sendable () -> Timestamp

  struct State {
    var index: LogIndex
    var waiting: [Append] = []
    /// Whether a thread writes, or is on its way to.
    var isWriting = false
    /// Who waits until none does.
    var idle: [CheckedContinuation<Void, Never>] = []
    /// Why appends are refused; nil while the log takes them.
    var refusal: String?
    /// What the last write failed with; nil once one works again.
    var trouble: String?
    var isClosed = false
  }

  /// Why the last append was not taken, in one sentence; nil while the log works. Stays until an append works again;
  /// where a file of the log is gone, until the process is started anew.
  package var trouble: String? { state.withLock { $0.trouble } }

  /// Opens `<directory>/log.sqlite` and takes `<directory>/log.lock`. Throws a `StartupError` for a log in use, newer
  /// than this build, foreign, damaged or, for reading, missing; such a file stays as it is.
  ///
  /// - Parameters:
  ///   - holder: who another process is told to stop.
  ///   - tailLimit: how many bytes of memory the newest records may take.
  ///   - now: the log's clock.
  package init(
    directory: String, mode: Mode = .writing, holder: String = "daybook", tailLimit: Int = 8 << 20,
    now: @escaping @Sendable () -> Timestamp = { Timestamp.now() }
  ) throws(StartupError) {
    let path = directory + "/log.sqlite"
    if mode == .reading, !LogFile.exists(path) {
      throw StartupError("there is no log in \(directory); give the data directory of a Daybook that has run")
    }
    lock = try FileLock(directory + "/log.lock", holder: holder)
    self.now = now
    pool = ReaderPool(path)
    do {
      var index = LogIndex(tailLimit: tailLimit)
      switch mode {
      case .writing:
        let file = try LogFile(path)
        for topic in try file.topics() { index.add(topic: topic.name, partitions: topic.partitions) }
        id = file.id
        state = Mutex(State(index: index))
        self.file = Mutex(file)
      case .reading:
        try LogFile.migrator.checkHeader(path)
        let known = try pool.withConnection { db in
          try LogFile.migrator.check(db)
          for topic in try LogFile.topics(db) { index.add(topic: topic.name, partitions: topic.partitions) }
          return try db.prepare("SELECT id FROM log").first { $0.string(0) }
        }
        id = known ?? ""
        state = Mutex(State(index: index, refusal: "the log is open for reading only"))
        file = Mutex(nil)
      }
    } catch {
      pool.close()
      lock.release()
      throw Self.refusal(error, path)
    }
  }

  /// There is nothing to rebuild a log from, so a damaged one gets a sentence of its own.
  private static func refusal(_ error: any Error, _ path: String) -> StartupError {
    let isDamaged =
      switch error {
      case Migrator.Refusal.damaged: true
      case let error as SQLiteError: error.isCorrupt
      default: false
      }
    return StartupError(isDamaged ? "the log \(path) is damaged; restore it from a copy" : "\(error)")
  }

  // MARK: - Topics

  package func create(_ topics: [String], partitions count: Int) async throws(LogError) {
    let result: Result<Void, LogError> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: Result { () throws(LogError) in try createNow(topics, count) })
      }
    }
    try result.get()
  }

  private func createNow(_ topics: [String], _ count: Int) throws(LogError) {
    let (known, refusal) = state.withLock { ($0.index.topics, $0.refusal) }
    var missing: [String] = []
    for topic in topics {
      if let found = known[topic] {
        guard found.count == count else { throw .partitionCount(topic: topic, found: found.count, wanted: count) }
      } else if !missing.contains(topic) {
        missing.append(topic)
      }
    }
    guard !missing.isEmpty else { return }
    if let refusal { throw .notAppended(refusal) }
    guard count > 0 else { throw .failed("a topic has at least one partition, not \(count)") }
    do {
      let made = try file.withLock { file in
        try file?.create(missing, partitions: count)
        return try file?.topics().filter { missing.contains($0.name) } ?? []
      }
      state.withLock { state in
        for topic in made { state.index.add(topic: topic.name, partitions: topic.partitions) }
      }
    } catch {
      throw .failed("\(error)")
    }
  }

  package func partitions(of topic: String) async throws(LogError) -> Int? {
    state.withLock { $0.index.topics[topic]?.count }
  }

  // MARK: - Appending

  @discardableResult
  package func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await append(records, to: partition, gate: nil)
  }

  package func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    try state.withLock { state throws(LogError) in _ = try state.index.index(of: partition) }
    return EmbeddedWriter(self, partition)
  }

  nonisolated(nonsending) func append(
    _ records: [NewRecord], to partition: TopicPartition, gate: Append.Gate?
  ) async throws(LogError) -> [Int64] {
    try await withCheckedContinuation { continuation in
      submit(records, to: partition, gate: gate, here: gate != nil && records.count <= Self.few) {
        continuation.resume(returning: $0)
      }
    }.get()
  }

  /// Up to so many records an owner writes where it stands: the way to another thread costs more. More of them are
  /// written beside it, while it decides on.
  private static let few = 16

  package func append(
    _ records: [NewRecord], to partition: TopicPartition, done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    submit(records, to: partition, gate: nil, here: false, done: done)
  }

  /// - Parameter here: whether the calling thread may write, and wait for the disk.
  private func submit(
    _ records: [NewRecord], to partition: TopicPartition, gate: Append.Gate?, here: Bool,
    done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    do throws(LogError) {
      let append = try prepared(records, to: partition, gate: gate, done: done)
      guard !records.isEmpty else { return done(.success([])) }
      let (refusal, writes) = state.withLock { state -> (String?, Bool) in
        if let refusal = state.refusal { return (refusal, false) }
        state.waiting.append(append)
        defer { state.isWriting = true }
        return (nil, !state.isWriting)
      }
      if let refusal { return done(.failure(.notAppended(refusal))) }
      // Whoever comes first writes; what comes meanwhile goes into the next transaction.
      guard writes else { return }
      if here { writeWaiting() } else { queue.async { [self] in writeWaiting() } }
    } catch {
      done(.failure(error))
    }
  }

  private func prepared(
    _ records: [NewRecord], to partition: TopicPartition, gate: Append.Gate?,
    done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) throws(LogError) -> Append {
    let encoded = try Append.Encoded(records)
    let index = try state.withLock { state throws(LogError) in
      if let refusal = state.refusal { throw .notAppended(refusal) }
      return try state.index.index(of: partition)
    }
    return Append(records, encoded, to: index, gate: gate, done: done)
  }

  /// Everything that waits, in one transaction; one thread at a time.
  private func writeWaiting() {
    writeOnce()
    let (isMore, idle) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
      state.isWriting = !state.waiting.isEmpty
      guard !state.isWriting else { return (true, []) }
      defer { state.idle = [] }
      return (false, state.idle)
    }
    if isMore { queue.async { [self] in writeWaiting() } }
    for waiting in idle { waiting.resume() }
  }

  private func writeOnce() {
    let (taken, partitions) = state.withLock { state in
      defer { state.waiting = [] }
      return (state.waiting, state.index.partitions.map { Batch.Partition($0) })
    }
    var batch = Batch(partitions: partitions, now: now())
    for append in taken {
      if let why = append.gate?.closed {
        append.done(.failure(.notAppended(why)))
      } else {
        batch.appends.append(append)
      }
    }
    let result = Result { () throws(LogError) in
      try file.withLock { file throws(LogError) in
        guard let file else { throw .notAppended("the log is closed") }
        try batch.write(to: file)
        // After the commit: what is acknowledged stands in the file that the next start opens.
        if let lost = file.lost {
          state.withLock { ($0.refusal, $0.trouble) = (lost, lost) }
          throw .uncertain(lost)
        }
      }
    }
    switch result {
    case .success:
      let waiters = state.withLock { state in
        if !batch.appends.isEmpty { state.trouble = nil }
        return batch.publish(in: &state.index)
      }
      for waiter in waiters { waiter.wake() }
      batch.acknowledge()
    case .failure(let error):
      state.withLock { state in if state.refusal == nil { state.trouble = error.description } }
      for append in batch.appends { append.gate?.close("an append before it failed (\(error))") }
      for append in batch.appends { append.done(.failure(error)) }
    }
  }

  // MARK: - Reading

  package func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    let index = try state.withLock { state throws(LogError) in
      let index = try state.index.index(of: partition)
      let available = state.index.partitions[index].first..<state.index.partitions[index].end
      guard offset >= available.lowerBound, offset <= available.upperBound else {
        throw .outOfRange(partition, offset: offset, available: available)
      }
      return index
    }
    return EmbeddedReader(self, index, from: offset)
  }

  package func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try known(partition).bounds
  }

  package func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    let (key, bounds) = try known(partition)
    guard !bounds.isEmpty else { return bounds.upperBound }
    return try await read { db in
      let probe = try db.statement(
        "SELECT offset, time FROM record WHERE partition = ? AND offset >= ? ORDER BY offset LIMIT 1")
      // Times never fall within a partition. All below `low` are earlier; `high` is not, or is the end.
      var low = bounds.lowerBound
      var high = bounds.upperBound
      while low < high {
        let middle = low + (high - low) / 2
        let found = try probe.first(key, middle) { (offset: $0.int64(0), time: $0.int64(1)) }
        if let found, found.offset < high, found.time < time.milliseconds {
          low = found.offset + 1
        } else {
          high = middle
        }
      }
      return try probe.first(key, low) { $0.int64(0) } ?? bounds.upperBound
    }
  }

  package func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    let (key, bounds) = try known(partition)
    return try await read { db in
      try db.statement(
        """
        SELECT offset FROM record WHERE partition = ? AND sequence = ? AND offset < ? ORDER BY offset LIMIT 1
        """
      ).first(key, sequence, bounds.upperBound) { $0.int64(0) }
    }
  }

  private func known(_ partition: TopicPartition) throws(LogError) -> (key: Int64, bounds: Range<Int64>) {
    try state.withLock { state throws(LogError) in
      let known = state.index.partitions[try state.index.index(of: partition)]
      return (known.key, known.first..<known.end)
    }
  }

  /// Runs a read beside the writer. Throws `failed` in one sentence.
  func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws(LogError) -> T {
    do {
      return try await pool.read(body)
    } catch let error as LogError {
      throw error
    } catch is ReaderPool.Closed {
      throw .failed("the log is closed")
    } catch {
      throw .failed("\(error)")
    }
  }

  // MARK: - Closing

  package func close() async {
    let waiters = state.withLock { state in
      state.refusal = "the log is closed"
      state.isClosed = true
      var waiters: [Waiter] = []
      for index in state.index.partitions.indices {
        waiters += state.index.partitions[index].waiters.values
        state.index.partitions[index].waiters = [:]
      }
      return waiters
    }
    for waiter in waiters { waiter.wake() }
    // Every append that was taken is written first.
    await withCheckedContinuation { continuation in
      let isWriting = state.withLock { state in
        if state.isWriting { state.idle.append(continuation) }
        return state.isWriting
      }
      if !isWriting { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      // Of two calls, the second waits for the first.
      queue.async { [self] in
        pool.close()
        file.withLock { file in
          file?.close()
          file = nil
        }
        lock.release()
        continuation.resume()
      }
    }
  }

  /// For tests: how many pages the file may have, as on a disk that is full then; nil for no limit.
  package func limitPages(toCurrentPlus more: Int64?) throws {
    try file.withLock { file in
      guard let file else { return }
      try file.limit(pages: more.map { try file.pageCount + $0 } ?? 0x3fff_ffff)
    }
  }
}
