import EventLog
import Messaging

extension Follower {
  /// Takes what the readers brought, folds it, and sleeps while there is nothing.
  func foldUntilCancelled() async {
    while !Task.isCancelled {
      if inbox.isEmpty { await waitForInbox() }
      takeInbox()
      await foldTaken()
      // Deliveries that came meanwhile stand in the queue: let them in, so that one transaction takes them all.
      await Task.yield()
    }
    isClosing = true
    releaseReaders()
  }

  private func waitForInbox() async {
    await withTaskCancellationHandler {
      _ = self
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { idle = continuation }
      }
    } onCancel: {
      Task { await self.wakeFolding() }
    }
  }

  private func releaseReaders() {
    let waiting = delivered
    delivered = []
    for continuation in waiting { continuation.resume() }
  }

  private func takeInbox() {
    for (partition, records) in inbox { take(records, of: partition) }
    inbox = []
    // The readers fetch on while this thread folds.
    releaseReaders()
  }

  func take(_ records: [ReadRecord], of partition: ServicePartition) {
    core?.take(records, of: partition)
    if let at = taken.firstIndex(where: { $0.partition == partition }) {
      taken[at].count += records.count
    } else {
      taken.append((partition, records.count))
    }
  }

  /// After a transaction that took all there was, the readers rest: what comes meanwhile is read together, one
  /// transaction writes each page once for all of it, and the processor is left to those that decide. Nobody rests while
  /// somebody waits for what is not folded yet.
  private func letReadersRest(_ rest: Duration) {
    guard !isResting, !progress.isWaitedFor else { return }
    isResting = true
    progress.wanted.reset()
    Task {
      let timer = Task { [wanted = progress.wanted] in
        // Where it is cancelled the rest is over already.
        if (try? await Task.sleep(for: rest)) != nil { wanted.fire() }
      }
      // Whoever began to wait since it was asked has fired it, or is seen here.
      if !progress.isWaitedFor { await progress.wanted.wait() }
      timer.cancel()
      isResting = false
      let readers = resting
      resting = []
      for reader in readers { reader.resume() }
    }
  }

  /// Returns once reading may go on.
  func rest() async {
    guard isResting, !isClosing else { return }
    await withCheckedContinuation { resting.append($0) }
  }

  /// Five times as long as folding took: a busy follower works a sixth of the time.
  private static func rest(after folding: Duration) -> Duration {
    min(max(folding * 5, .milliseconds(20)), .milliseconds(200))
  }

  private func foldTaken() async {
    guard let core, !taken.isEmpty else { return }
    let partitions = taken.map(\.partition)
    let isCaughtUp = taken.allSatisfy { $0.count < plan.readLimit }
    taken = []
    let start = ContinuousClock.now
    await fold(core, isCaughtUp: isCaughtUp)
    report(partitions)
    if isCaughtUp, inbox.isEmpty { letReadersRest(Self.rest(after: .now - start)) }
  }

  /// Folds, and where the file cannot be written tries again until it can or the task is cancelled.
  private func fold(_ core: FollowerCore<Effect>, isCaughtUp: Bool) async {
    var attempt = 0
    while !Task.isCancelled {
      do {
        let folded = try core.fold(isCaughtUp: isCaughtUp)
        count(folded)
        settleSoon(core)
        if attempt > 0 {
          context.health.set(plan.name, .ready)
          logger.log(.notice, "writes again")
        }
        return
      } catch {
        let waits = "cannot write: \(error); tries again"
        context.health.set(plan.name, .notReady(waits))
        if attempt == 0 { logger.log(.error, waits) }
      }
      do { try await plan.pause(attempt) } catch { return }
      attempt += 1
    }
  }

  /// One timer at most, and none while there is nothing to settle.
  private func settleSoon(_ core: FollowerCore<Effect>) {
    guard core.effect.isUnsettled, !isSettling else { return }
    isSettling = true
    Task {
      try? await Task.sleep(for: .milliseconds(500))
      settle()
    }
  }

  private func settle() {
    isSettling = false
    core?.effect.settle()
  }

  private func count(_ folded: [FollowerFolded]) {
    for one in folded {
      let labels = [
        ("follower", plan.name), ("service", one.partition.service), ("partition", "\(one.partition.partition)"),
      ]
      context.metrics.count(
        "daybook_follower_records_total", "Events and decisions folded.", labels, by: Double(one.applied))
      if one.void > 0 {
        context.metrics.count(
          "daybook_follower_void_total", "Records passed over because they do not count.", labels, by: Double(one.void))
      }
      if one.duplicates > 0 {
        context.metrics.count(
          "daybook_follower_duplicates_total", "Records that had been folded before.", labels,
          by: Double(one.duplicates))
      }
    }
  }

  /// Tells everybody where these partitions stand now; who waits is woken last, when all else is told.
  private func report(_ partitions: [ServicePartition]) {
    for partition in partitions {
      guard let stop = core?.stop(of: partition) else {
        tellReadiness(of: partition)
        if let position = core?.position(of: partition)?.offset {
          context.lag?.moved("daybook-\(plan.name)", partition.events, to: position)
        }
        continue
      }
      if progress.lane(partition)?.stop == nil { tell(stop) }
    }
    progress.update(partitions.map { ($0, lane($0)) })
  }

  /// Ready once it has read what stood in the log when it began.
  func tellReadiness(of partition: ServicePartition) {
    guard let core, let goal = goals[partition] else { return }
    let next = core.next(of: partition)
    let state = next >= goal ? Health.State.ready : .starting("is at \(next) of \(goal)")
    if context.health.state(of: component(partition)) != state { context.health.set(component(partition), state) }
  }

  /// A stop is loud: not ready, a metric, a line in the log.
  func tell(_ stop: FollowerStop) {
    context.health.set(component(stop.partition), .notReady(stop.description))
    context.metrics.gauge(
      "daybook_follower_stopped", "1 where a partition stands still until somebody acts.",
      [
        ("follower", plan.name), ("service", stop.partition.service), ("partition", "\(stop.partition.partition)"),
      ], 1)
    logger.log(.error, stop.description, ["partition": .string("\(stop.partition)")])
  }
}
