import EventLog
import Foundation
import Messaging
import ServiceKit
import Synchronization
import TasksService

/// An owner in this process, and the commands of a household sent to it through the log.
struct CommandLoad {
  let partition: Int
  private let log: any EventLog
  private let running: Task<Void, any Error>
  /// How many commands one append carries.
  private static let together = 128

  var events: TopicPartition { TopicPartition(Topic.events(TasksDomain.service), partition) }
  var commands: TopicPartition { TopicPartition(Topic.commands(TasksDomain.service), partition) }

  /// Starts the owner of the partition on a database in `data`, and gives it its projects.
  init(_ log: any EventLog, data: String) async throws {
    self.log = log
    let context = ServiceContext(log: log, data: data, logger: .silent)
    partition = Workspace.partition(of: Workspace.main, count: context.partitionCount)
    let owner = OwnerService<TasksDomain>(partition: partition, context: context)
    try await owner.prepare()
    running = Task { try await owner.run() }
    await context.health.settled()
    let reader = try await log.reader(of: events, from: try await log.bounds(of: events).upperBound)
    defer { reader.close() }
    let projects = (0..<200).map {
      Self.command("tasks.project.create.v1", ["name": .string(BenchWords.project($0))]).record
    }
    try await log.append(projects, to: commands)
    try await Self.decisions(reader, projects.count)
  }

  func stop() async {
    running.cancel()
    try? await running.value
  }

  /// Seconds from the first append to the last decision read, with 2,048 commands on the way.
  func manyInFlight(_ count: Int) async throws -> Double {
    let reader = try await log.reader(of: events, from: try await log.bounds(of: events).upperBound)
    defer { reader.close() }
    let records = (0..<count).map { Self.item($0).record }
    let start = ContinuousClock.now
    async let produced: Void = withThrowingTaskGroup(of: Void.self) { [log, commands] group in
      let producers = 16
      for producer in 0..<producers {
        group.addTask {
          let mine = records[records.count * producer / producers..<records.count * (producer + 1) / producers]
          for at in stride(from: mine.startIndex, to: mine.endIndex, by: Self.together) {
            try await log.append(Array(mine[at..<min(at + Self.together, mine.endIndex)]), to: commands)
          }
        }
      }
      try await group.waitForAll()
    }
    try await Self.decisions(reader, count)
    try await produced
    return (ContinuousClock.now - start).seconds
  }

  /// Seconds of each of `count` commands, sorted: from its append, one at a time at a steady pace, until its decision is
  /// read and counts.
  func paced(perSecond: Int, count: Int) async throws -> [Double] {
    let messages = (0..<count).map(Self.item)
    let numbers = Dictionary(uniqueKeysWithValues: messages.enumerated().map { ($1.id, $0) })
    let records = messages.map(\.record)
    let end = try await log.bounds(of: events).upperBound
    // The last record is the only owner's, and so of the epoch that holds.
    let reader = try await log.reader(of: events, from: end - 1)
    defer { reader.close() }
    guard let last = try await reader.next(atMost: 1).first, let epoch = try Message(last).epoch else { return [] }
    var validity = Validity(epoch: epoch)
    let sent = Sent(count)
    var seconds: [Double] = []
    let (log, commands) = (log, commands)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let begin = ContinuousClock.now
        for (index, record) in records.enumerated() {
          let due = begin + .microseconds(index * 1_000_000 / perSecond)
          if due > .now { try await Task.sleep(until: due, tolerance: .zero) }
          sent.times.withLock { $0[index] = .now }
          log.append([record], to: commands) { _ in }
        }
      }
      while seconds.count < count {
        for record in try await reader.next(atMost: 1000) {
          guard case .command(let command) = validity.feed(record), let id = command.last?.message.causationID,
            let number = numbers[id]
          else { continue }
          seconds.append((ContinuousClock.now - sent.times.withLock { $0[number] }).seconds)
        }
      }
      try await group.waitForAll()
    }
    return seconds.sorted()
  }

  private final class Sent: Sendable {
    let times: Mutex<[ContinuousClock.Instant]>
    init(_ count: Int) { times = Mutex(Array(repeating: .now, count: count)) }
  }

  private static let decided = Array(Message.Kind.decided.utf8)

  /// Reads until so many decisions have come.
  private static func decisions(_ reader: any LogReader, _ count: Int) async throws {
    var left = count
    while left > 0 {
      left -= try await reader.next(atMost: 4096).count { record in
        record.headers.contains { $0.name == "ce_type" && $0.value == decided }
      }
    }
  }

  private static func item(_ number: Int) -> Message { command("tasks.item.add.v1", BenchWords.item(number)) }

  private static func command(_ type: String, _ data: JSON) -> Message {
    Message(
      id: .next(), source: "/daybook/bench", type: type, time: .now(), workspace: Workspace.main, data: data.bytes)
  }
}
