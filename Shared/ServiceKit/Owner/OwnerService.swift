import EventLog
import Messaging
import SQLite

/// Owns one partition of one service: decides its commands, publishes what it decided, and reads it back. The rules are
/// `OwnerCore`'s; this is the shell that feeds it from the log.
///
/// Three loops run side by side while it owns: commands are decided in batches, the outbox is appended to the log, the
/// own partition is read back. A delivery failure ends all three: a new writer claims anew, and the outbox goes on from
/// its first record that was not read back. Where another owner claims, or anything is wrong that waiting does not
/// mend, it stands still and not ready until the process is started anew.
package actor OwnerService<D: Domain>: Service {
  /// Sizes and waits; the standard ones outside tests.
  package struct Options: Sendable {
    /// The most commands of one transaction.
    package var batch = 512
    /// The most records of one append.
    package var append = 1000
    /// With so many records not read back yet, no more are decided.
    package var backlog = 20_000
    /// How long the log may take to confirm an append before health tells.
    package var patience: Duration = .seconds(10)
    /// Waits before the partition is claimed anew after a failure: 50 ms, 100 ms, … 5 s. Not used while all is well.
    package var pause: @Sendable (_ attempt: Int) async throws -> Void = { attempt in
      try await Task.sleep(for: .milliseconds(min(5000, 50 << min(attempt, 7))))
    }
    package init() {}
  }

  package nonisolated let name: String
  package nonisolated let partition: Int
  nonisolated let context: ServiceContext
  nonisolated let file: OwnerFile
  nonisolated let options: Options
  nonisolated let logger: Logger
  nonisolated let trouble: TroubleLog
  nonisolated let queue: SerialQueue

  private var lock: FileLock?
  private var hasTopics = false
  var core: OwnerCore<D>?
  /// Outlives the core where the file is opened again.
  private var claims = OwnerClaims(own: .new())
  /// What of the core's counters was told already.
  var told = OwnerCounters()
  /// Since when the log has been asked to confirm an append.
  var appending: ContinuousClock.Instant?
  /// Whether it stands still for good; where a command failed, it still publishes what it has.
  var isStanding = false
  /// Whether a timer is under way that will store the mark.
  var isSettling = false
  /// Something new is in the outbox.
  nonisolated let outbox = Signal()
  /// Something of the outbox was read back.
  nonisolated let room = Signal()

  package init(partition: Int, context: ServiceContext, options: Options = Options()) {
    name = "\(D.service)/\(partition)"
    self.partition = partition
    self.context = context
    self.options = options
    file = OwnerFile(service: D.service, partition: partition, context: context)
    logger = context.logger.named(name)
    trouble = TroubleLog(logger)
    queue = SerialQueue(name)
    context.health.set(name, .starting("has not started"))
  }

  /// The owners of the context's partitions.
  package static func build(_ context: ServiceContext, options: Options = Options()) -> [any Service] {
    context.partitions.map { OwnerService(partition: $0, context: context, options: options) }
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  nonisolated var events: TopicPartition { TopicPartition(Topic.events(D.service), partition) }
  nonisolated var commands: TopicPartition { TopicPartition(Topic.commands(D.service), partition) }

  /// Makes the topics that are missing, takes the lock and opens the file. Throws a sentence where the file is in use,
  /// newer, damaged, or of another log or number of partitions; such a file stays as it is.
  package func prepare() async throws {
    guard lock == nil else { return }
    do throws(LogError) {
      try await createTopics()
    } catch {
      // A log that is away for now is waited for.
      guard error.isPassing else { throw StartupError(error.description) }
      tellWaiting(error.description)
    }
    let lock = try FileLock(file.lockPath, holder: name)
    do {
      _ = try open()
    } catch {
      lock.release()
      throw error
    }
    self.lock = lock
    context.health.addProbe { [weak self] in await self?.judge() }
  }

  /// Once.
  func createTopics() async throws(LogError) {
    guard !hasTopics else { return }
    try await context.log.create(
      [Topic.commands(D.service), Topic.events(D.service)], partitions: context.partitionCount)
    hasTopics = true
  }

  /// The core, its file opened where it is not.
  func open() throws -> OwnerCore<D> {
    if let core { return core }
    let db = try file.open(D.self)
    do {
      let core = try OwnerCore<D>(
        db, partition: partition, partitionCount: context.partitionCount, claims: claims, logger: logger)
      self.core = core
      told = OwnerCounters()
      return core
    } catch {
      db.close()
      throw error
    }
  }

  /// Closes the file; nothing of it stays in memory but the claims.
  func closeCore() {
    guard let core else { return }
    tellCounters()
    do { try core.flushMark() } catch { logger.log(.warning, "the mark was not stored: \(error)") }
    claims = core.claims
    core.close()
    self.core = nil
  }

  /// Owns the partition until the task is cancelled; then closes the file. What was not published stays in it.
  package func run() async throws {
    try await withTaskExecutorPreference(queue) { try await self.own() }
  }

  private func own() async throws {
    try await prepare()
    var attempt = 0
    while !Task.isCancelled {
      do {
        let session = try await takeOver()
        attempt = 0
        try await work(session)
      } catch {
        guard !Task.isCancelled else { break }
        switch OwnerTrouble(error) {
        case .passing(let why): tellWaiting(why)
        case .lasting(let why):
          // From here on only a new start helps: nothing may tell that it is ready.
          isStanding = true
          tellStopped(why)
          await Signal.cancellation()
        }
      }
      // After a failure the file is the truth, not what is in memory.
      closeCore()
      isStanding = false
      claims.withdraw()
      do { try await options.pause(attempt) } catch { break }
      attempt += 1
    }
    closeCore()
    lock?.release()
    lock = nil
    context.health.set(name, .notReady("is stopped"))
  }
}
