import EventLog
import Messaging

extension Follower {
  /// Reads one partition and hands over what comes, until it stops, the log closes or the task is cancelled.
  func read(_ partition: ServicePartition) async {
    var attempt = 0
    while !Task.isCancelled, core?.stop(of: partition) == nil {
      do throws(LogError) {
        guard let reader = try await reader(of: partition) else { return }
        attempt = 0
        defer { reader.close() }
        while core?.stop(of: partition) == nil {
          await rest()
          let records = try await reader.next(atMost: plan.readLimit)
          if records.isEmpty { return }
          // Many records are read off the folding thread; for a few the way there costs more.
          let read = records.count > 32 ? await Self.read(records) : records.map(ReadRecord.init)
          await deliver(read, of: partition)
        }
        return
      } catch {
        guard await recover(from: error, partition, attempt) else { return }
        attempt += 1
      }
    }
  }

  private nonisolated static func read(_ records: [Record]) async -> [ReadRecord] {
    await withTaskExecutorPreference(globalConcurrentExecutor) { records.map(ReadRecord.init) }
  }

  /// False where reading ends.
  private func recover(from error: LogError, _ partition: ServicePartition, _ attempt: Int) async -> Bool {
    if case .outOfRange = error {
      stop(FollowerStop(partition, at: nil, "\(error)", advice: Advice.otherLog(plan.name)))
      return false
    }
    let waits: String
    if case .unknownTopic(let topic) = error {
      waits = "waits for the topic \(topic), which is not there yet"
    } else {
      waits = "cannot read \(partition.events): \(error); tries again"
    }
    if context.health.state(of: component(partition)) != .notReady(waits) {
      logger.log(.warning, waits, ["partition": .string("\(partition)")])
      context.health.set(component(partition), .notReady(waits))
    }
    do {
      try await plan.pause(attempt)
      return true
    } catch {
      return false
    }
  }

  /// A reader at the stored position, once the log has shown that it is the one the position counts in: it reaches that
  /// far, and the last record folded stands where it stood. Nil where the partition stops or the log is closed.
  private func reader(of partition: ServicePartition) async throws(LogError) -> (any LogReader)? {
    guard let core, let position = core.position(of: partition) else { return nil }
    // After a fault of the log, records in hand are not read twice.
    let next = core.next(of: partition)
    let bounds = try await context.log.bounds(of: partition.events)
    guard next <= bounds.upperBound else {
      stop(
        FollowerStop(
          partition, at: nil, "the log ends at \(bounds.upperBound), before the position \(next): records are missing",
          advice: Advice.otherLog(plan.name)))
      return nil
    }
    if let last = position.last {
      let probe = try await context.log.reader(of: partition.events, from: last.offset)
      defer { probe.close() }
      guard let record = try await probe.next(atMost: 1).first else { return nil }
      let id = record.offset == last.offset ? (try? Message(record))?.id : nil
      guard id == last.id else {
        stop(
          FollowerStop(
            partition, at: nil,
            "the record at offset \(last.offset) is not the one that was folded (\(last.id)): the topic was made anew",
            advice: Advice.otherLog(plan.name)))
        return nil
      }
    }
    let reader = try await context.log.reader(of: partition.events, from: next)
    goals[partition] = bounds.upperBound
    tellReadiness(of: partition)
    progress.update([(partition, lane(partition))])
    return reader
  }

  private enum Advice {
    static func otherLog(_ name: String) -> String {
      "restore the log, or rebuild the \(name) from this one (daybook rebuild \(name))"
    }
  }

  /// Hands records over, and waits while there are many: a transaction takes all that came while the last one was
  /// folded, so that behind a backlog each page is written once for thousands of records.
  private func deliver(_ records: [ReadRecord], of partition: ServicePartition) async {
    guard !isClosing else { return }
    inbox.append((partition, records))
    wakeFolding()
    guard inbox.reduce(0, { $0 + $1.records.count }) >= Self.inboxLimit else { return }
    await withCheckedContinuation { delivered.append($0) }
  }

  private static var inboxLimit: Int { 10_000 }

  func wakeFolding() {
    idle?.resume()
    idle = nil
  }

  /// Stops a partition for a reason found outside its records.
  private func stop(_ stop: FollowerStop) {
    core?.stop(stop)
    tell(stop)
    progress.update([(stop.partition, lane(stop.partition))])
  }
}
