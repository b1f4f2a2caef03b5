import EventLog
import HTTP
import Messaging
import ServiceKit
import Synchronization

/// Reads the event topics for the decisions that clients wait for. Applies the same rule as every reader: what a fenced
/// owner still wrote is told to nobody.
struct DecisionListener: Sendable {
  let context: ServiceContext
  let services: [String]
  let audit: Handler
  let waiters: Waiters
  let logger: Logger

  static let component = "gateway"

  /// Runs until its task is cancelled. The gateway is ready once every partition was read to the end that it had.
  func run() async {
    let partitions = ServicePartition.all(services, partitionCount: context.partitionCount)
    let starts = await positions()
    let behind = Countdown(partitions.count)
    await withTaskGroup { group in
      for partition in partitions {
        group.addTask {
          await follow(partition, from: starts[partition] ?? Start()) {
            if behind.isLast() { context.health.set(Self.component, .ready) }
          }
        }
      }
    }
  }

  /// Where reading begins: a place directly behind a whole command, with the epoch that counts there.
  private struct Start {
    var offset: Int64 = 0
    var epoch: Int64 = 0
  }

  /// What the audit last committed. The tail of the log alone does not do: it may hold nothing but void records, and
  /// the claim that says so lies before it.
  private func positions() async -> [ServicePartition: Start] {
    let response = await audit(Request(path: "/v1/positions"))
    guard response.status == 200, case .bytes(let bytes) = response.body,
      let list = (try? JSON(parsing: bytes))?["positions"]?.array
    else {
      logger.log(.notice, "the audit tells no positions; decisions are read from the beginning")
      return [:]
    }
    var starts: [ServicePartition: Start] = [:]
    for entry in list {
      guard let service = entry["service"]?.string, let partition = entry["partition"]?.integer,
        let offset = entry["offset"]?.integer, let epoch = entry["epoch"]?.integer
      else { continue }
      starts[ServicePartition(service, Int(partition))] = Start(offset: offset, epoch: epoch)
    }
    return starts
  }

  private func follow(_ partition: ServicePartition, from start: Start, atEnd: @Sendable () -> Void) async {
    do throws(LogError) {
      try await read(partition, start, atEnd)
    } catch {
      guard !Task.isCancelled else { return }
      let why = "decisions of \(partition) are not read any more: \(error); restart the gateway"
      logger.log(.error, why)
      context.health.set(Self.component, .notReady(why))
    }
  }

  private func read(
    _ partition: ServicePartition, _ start: Start, _ atEnd: @Sendable () -> Void
  ) async throws(LogError) {
    let bounds = try await context.log.bounds(of: partition.events)
    // A position outside this log is another log's: the audit will say so.
    let isHere = bounds.lowerBound <= start.offset && start.offset <= bounds.upperBound
    var next = isHere ? start.offset : bounds.lowerBound
    var validity = Validity(epoch: isHere ? start.epoch : 0)
    let reader = try await context.log.reader(of: partition.events, from: next)
    defer { reader.close() }
    var isBehind = true
    while !Task.isCancelled {
      if isBehind, next >= bounds.upperBound {
        isBehind = false
        atEnd()
      }
      let records = try await reader.next(atMost: 1000)
      guard let last = records.last else { return }
      next = last.offset + 1
      for record in records { take(record, &validity, partition.service) }
    }
  }

  private func take(_ record: Record, _ validity: inout Validity, _ service: String) {
    guard case .command(let command) = validity.feed(record), let message = command.last?.message,
      let id = message.causationID
    else { return }
    let key = Waiters.Key(service: service, workspace: message.workspace, command: id)
    guard waiters.wants(key), let decision = (try? JSON(parsing: message.data)).flatMap({ Decision($0) }) else {
      return
    }
    waiters.decided(key, decision)
  }
}

/// Tells the last of several that it is the last.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func isLast() -> Bool { left.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 }
}
