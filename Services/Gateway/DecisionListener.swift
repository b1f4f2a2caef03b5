import EventLog
import HTTP
import Messaging
import ServiceKit
import Synchronization

/// Reads the event topics for the decisions that clients wait for. Applies the same rule as every reader: what a fenced
/// owner still wrote is told to nobody.
struct DecisionListener: Sendable {
  let context: ServiceContext
  let partitions: [ServicePartition]
  let audit: Handler
  let waiters: Waiters
  let logger: Logger
  let trouble: TroubleLog

  static let component = "gateway"

  /// Runs until its task is cancelled. The gateway is ready once every partition was read to the end that it had.
  func run() async {
    let starts = await positions()
    let readings = Readings(partitions, context.health)
    await withTaskGroup { group in
      for partition in partitions {
        group.addTask { await follow(partition, from: starts[partition] ?? Start(), readings) }
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
  /// An audit that is just starting is waited for, some seconds long.
  private func positions() async -> [ServicePartition: Start] {
    for attempt in 0..<25 {
      let response = await audit(Request(path: "/v1/positions"))
      let starts = Self.starts(response)
      if let starts, !starts.isEmpty { return starts }
      guard starts != nil || response.status == 503, !Task.isCancelled else { break }
      try? await Task.sleep(for: .milliseconds(min(250, 5 << min(attempt, 6))))
    }
    logger.log(.notice, "the audit tells no positions; decisions are read from the beginning")
    return [:]
  }

  /// Nil where the answer is none; empty where the audit has not begun.
  private static func starts(_ response: Response) -> [ServicePartition: Start]? {
    guard response.status == 200, case .bytes(let bytes) = response.body,
      let list = (try? JSON(parsing: bytes))?["positions"]?.array
    else { return nil }
    var starts: [ServicePartition: Start] = [:]
    for entry in list {
      guard let service = entry["service"]?.string, let partition = entry["partition"]?.integer,
        let offset = entry["offset"]?.integer, let epoch = entry["epoch"]?.integer
      else { continue }
      starts[ServicePartition(service, Int(partition))] = Start(offset: offset, epoch: epoch)
    }
    return starts
  }

  /// How far one partition is read.
  private struct Reading {
    var next: Int64
    var validity: Validity
    /// The end that the partition had when reading began.
    let end: Int64
  }

  /// Reads until the task is cancelled or the log is closed; what may be over soon is tried again.
  private func follow(_ partition: ServicePartition, from start: Start, _ readings: Readings) async {
    var reading: Reading?
    var attempt = 0
    while !Task.isCancelled {
      let before = reading?.next
      do throws(LogError) {
        var current: Reading
        if let reading { current = reading } else { current = try await begin(partition, start) }
        defer { reading = current }
        return try await read(partition, &current, readings)
      } catch {
        guard !Task.isCancelled else { return }
        let why = "decisions of \(partition) cannot be read: \(error); "
        guard error.isPassing else {
          logger.log(.error, why + "restart the gateway")
          return readings.set(partition, .troubled(why + "restart the gateway"))
        }
        trouble.met(.warning, why + "tries again")
        readings.set(partition, .troubled(why + "tries again"))
      }
      // What was read meanwhile says that an earlier trouble was over.
      if reading?.next != before { attempt = 0 }
      do { try await Task.sleep(for: .milliseconds(min(5000, 200 << min(attempt, 5)))) } catch { return }
      attempt += 1
    }
  }

  private func begin(_ partition: ServicePartition, _ start: Start) async throws(LogError) -> Reading {
    let bounds = try await context.log.bounds(of: partition.events)
    // A position outside this log is another log's: the audit will say so.
    let isHere = bounds.lowerBound <= start.offset && start.offset <= bounds.upperBound
    return Reading(
      next: isHere ? start.offset : bounds.lowerBound, validity: Validity(epoch: isHere ? start.epoch : 0),
      end: bounds.upperBound)
  }

  private func read(
    _ partition: ServicePartition, _ reading: inout Reading, _ readings: Readings
  ) async throws(LogError) {
    let reader = try await context.log.reader(of: partition.events, from: reading.next)
    defer { reader.close() }
    while !Task.isCancelled {
      readings.set(partition, reading.next < reading.end ? .behind : .reads)
      let records = try await reader.next(atMost: 1000)
      guard let last = records.last else { return }
      reading.next = last.offset + 1
      for record in records { take(record, &reading.validity, partition.service) }
    }
  }

  private func take(_ record: Record, _ validity: inout Validity, _ service: String) {
    guard case .command(let command) = validity.feed(record), let message = command.last?.message,
      let id = message.causationID
    else { return }
    let key = Waiters.Key(service: service, workspace: message.workspace, command: id)
    waiters.settle(key)
    guard waiters.wants(key), let decision = (try? JSON(parsing: message.data)).flatMap({ Decision($0) }) else {
      return
    }
    waiters.decided(key, decision)
  }
}

/// How reading goes, partition by partition: what the gateway's readiness is made of.
private final class Readings: Sendable {
  enum State: Equatable {
    /// It has not reached the end that the partition had when reading began.
    case behind
    case reads
    case troubled(String)
  }
  private let states: Mutex<[ServicePartition: State]>
  private let health: Health

  init(_ partitions: [ServicePartition], _ health: Health) {
    states = Mutex(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .behind) }))
    self.health = health
  }

  func set(_ partition: ServicePartition, _ state: State) {
    states.withLock { states in
      guard states[partition] != state else { return }
      states[partition] = state
      let troubles = states.sorted { $0.key < $1.key }.compactMap {
        if case .troubled(let why) = $0.value { why } else { nil }
      }
      if let first = troubles.first {
        health.set(DecisionListener.component, .notReady(first))
      } else if !states.values.contains(.behind) {
        health.set(DecisionListener.component, .ready)
      }
    }
  }
}
