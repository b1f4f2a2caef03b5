import EventLog
import Messaging
package import SQLite

/// Folds the event topics of several services into one file: reads every partition at once, folds what has come in one
/// transaction, and wakes whoever waits for a receipt. It sleeps while nothing comes.
///
/// Its own thread is the only one that writes the file; reads go through `readers`.
package actor Follower<Effect: FollowerEffect>: Service {
  package nonisolated let plan: FollowerPlan
  /// How far it is, for every thread.
  package nonisolated let progress: FollowerProgress
  /// Reading connections to the file. Use `read`, which answers 503 while the file is not there.
  package nonisolated let readers: ReaderPool
  nonisolated let context: ServiceContext
  private nonisolated let queue: SerialQueue
  private nonisolated let makeEffect: @Sendable (Connection) throws -> Effect

  private var lock: FileLock?
  private var db: Connection?
  var core: FollowerCore<Effect>?
  /// Whether a timer is under way that will call `settle`.
  var isSettling = false

  /// What the readers brought and nobody has taken yet.
  var inbox: [(partition: ServicePartition, records: [ReadRecord])] = []
  /// What the core has taken and not yet folded.
  var taken: [(partition: ServicePartition, count: Int)] = []
  /// Whether readers wait a moment before they read on.
  var isResting = false
  /// Readers that rest.
  var resting: [CheckedContinuation<Void, Never>] = []
  /// Readers that wait until the inbox is taken, because it is full.
  var delivered: [CheckedContinuation<Void, Never>] = []
  /// The folding loop, where it waits for the inbox.
  var idle: CheckedContinuation<Void, Never>?
  var isClosing = false
  /// The log's ends when reading began: a partition is ready once it is there.
  var goals: [ServicePartition: Int64] = [:]

  package init(
    _ plan: FollowerPlan, context: ServiceContext, makeEffect: @escaping @Sendable (Connection) throws -> Effect
  ) {
    self.plan = plan
    self.context = context
    self.makeEffect = makeEffect
    progress = FollowerProgress(name: plan.name)
    readers = ReaderPool(plan.path, mapped: plan.mapped)
    queue = SerialQueue(plan.name)
    for partition in plan.partitions {
      context.health.set("\(plan.name) \(partition)", .starting("has not started"))
    }
  }

  package nonisolated var name: String { plan.name }
  package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  nonisolated var logger: Logger { context.logger.named(plan.name) }
  nonisolated var installation: Installation {
    Installation(logID: context.log.id, partitionCount: context.partitionCount)
  }
  nonisolated func component(_ partition: ServicePartition) -> String { "\(plan.name) \(partition)" }

  /// Takes the lock and opens the file, or makes it. Throws a sentence where it is in use, damaged, newer, or of another
  /// log or number of partitions.
  package func prepare() async throws {
    guard lock == nil else { return }
    lock = try plan.lock(for: plan.name)
    do {
      try open()
    } catch {
      lock?.release()
      lock = nil
      throw error
    }
    context.health.addProbe { [weak self] in await self?.judge() }
  }

  private func open() throws {
    let db = try Effect.migrator.open(plan.path)
    do {
      core = try FollowerCore(
        db, installation: installation, partitions: plan.partitions, makeEffect: makeEffect)
      self.db = db
    } catch {
      db.close()
      throw error
    }
  }

  /// Follows until the task is cancelled; then folds what is in hand and closes the file, the writer last.
  package func run() async throws {
    try await prepare()
    do {
      try await rebuildIfNeeded()
      publishStart()
      await withTaskExecutorPreference(queue) { await self.follow() }
    } catch {
      close()
      throw error
    }
    close()
  }

  private func follow() async {
    guard let core else { return }
    let partitions = core.partitions
    await withTaskGroup(of: Void.self) { group in
      for partition in partitions { group.addTask { await self.read(partition) } }
      group.addTask { await self.foldUntilCancelled() }
    }
  }

  private func close() {
    isClosing = true
    progress.close()
    readers.close()
    core?.effect.willClose()
    core = nil
    db?.close()
    db = nil
    lock?.release()
    lock = nil
    for partition in plan.partitions { context.health.set(component(partition), .notReady("is stopped")) }
  }

  /// A file that this build would fold otherwise is built anew before anything is read from it.
  private func rebuildIfNeeded() async throws {
    guard let reason = core?.rebuildReason else { return }
    logger.log(.notice, "the file is rebuilt from the log: \(reason)")
    for partition in plan.partitions { context.health.set(component(partition), .starting("rebuilds: \(reason)")) }
    core = nil
    db?.close()
    db = nil
    try await FollowerReplay<Effect>.rebuild(
      plan, log: context.log, installation: installation, makeEffect: makeEffect, passesStops: true)
    try open()
  }

  private func publishStart() {
    guard let core else { return }
    for stop in core.effect.stops {
      core.stop(stop)
      tell(stop)
    }
    var lanes: [ServicePartition: FollowerProgress.Lane] = [:]
    for partition in core.partitions { lanes[partition] = lane(partition) }
    progress.open(lanes)
  }

  /// A partition as it stands now.
  func lane(_ partition: ServicePartition) -> FollowerProgress.Lane {
    var lane = FollowerProgress.Lane()
    lane.position = core?.position(of: partition) ?? FollowerPosition()
    lane.next = core?.next(of: partition) ?? 0
    lane.stop = core?.stop(of: partition)
    lane.isReady = lane.stop == nil && goals[partition].map { lane.next >= $0 } ?? false
    return lane
  }

  /// Reads the file in one snapshot, beside the writer. Throws the problem `starting` (503) while it is not there.
  package nonisolated func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    guard progress.isOpen else {
      throw Problem(code: "starting", status: 503, detail: "The \(plan.name) is not ready yet; ask again shortly.")
    }
    return try await readers.read(body)
  }
}
