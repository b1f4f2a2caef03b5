import EventLog
import Foundation
import Messaging
import ProjectionService
import ServiceKit

/// `replay --into`: folds what happened up to a moment into a read model of its own.
struct Fold {
  private let context: Context
  private let folder: String
  private static let epoch: Int64 = 1

  init(_ context: Context, into folder: String) {
    self.context = context
    self.folder = folder
  }

  func run() async throws {
    let query = try Commands.range(context)
    var stopped: (log: any EventLog, count: Int)?
    if let data = context.invocation.value("data") {
      let (log, count) = try await DataFolder(path: data).stoppedLog(holder: "daybook replay")
      stopped = (log, count)
    } else if let kafka = context.kafka {
      let (log, count) = try await kafka.openStory()
      stopped = (log, count)
    }
    if let (log, count) = stopped {
      do {
        let to = try await StorySource.time(query.first { $0.name == "to" }?.value, in: log)
        try await fold(log, count, until: to)
      } catch {
        await log.close()
        throw error
      }
      await log.close()
    } else {
      try await foldServer(query)
    }
    context.show(["into": .string(folder)]) {
      "Folded into \(folder); \"daybook up --read-only --data \(folder)\" answers from it.\n"
    }
  }

  private func fold(_ log: any EventLog, _ count: Int, until time: Timestamp?) async throws {
    let progress = Progress.begin(context.console, "folding")
    defer { progress.finish() }
    let step = Steps()
    try await ProjectionService.replay(
      log: log, partitionCount: count, until: time, into: folder,
      progress: { progress.advance(by: step.step(to: $0)) })
  }

  /// A server tells its valid records; a log made of them is folded, and removed again.
  private func foldServer(_ query: [(name: String, value: String)]) async throws {
    let status = try await context.api.get("/v1/status")
    let partitions = status["projection"]?["positions"]?.array?.compactMap { $0["partition"]?.integer } ?? []
    guard let last = partitions.max() else {
      throw Failure.refused("\(context.api.server) does not tell how many partitions it has")
    }
    let scratch = try DataFolder.temporary()
    defer { try? FileManager.default.removeItem(atPath: scratch.path) }
    let log = try EmbeddedLog(directory: scratch.logFolder, holder: "daybook replay")
    do {
      try await fill(log, partitionCount: Int(last) + 1, query)
      try await fold(log, Int(last) + 1, until: nil)
    } catch {
      await log.close()
      throw error
    }
    await log.close()
  }

  private func fill(
    _ log: any EventLog, partitionCount: Int, _ query: [(name: String, value: String)]
  ) async throws {
    try await log.create(ServiceContext.owners.map(Topic.events), partitions: partitionCount)
    for partition in ServicePartition.all(ServiceContext.owners, partitionCount: partitionCount) {
      let claim = Message(
        id: .next(), source: "/daybook/\(partition.service)", type: Message.Kind.claimed, time: context.clock.now,
        workspace: "", epoch: Fold.epoch, data: JSON.object(["replayed": true]).bytes)
      try await log.append([claim.record], to: partition.events)
    }
    let progress = Progress.begin(context.console, "reading the log")
    defer { progress.finish() }
    var waiting: [ServicePartition: [NewRecord]] = [:]
    var count = 0
    let everywhere = query + [(name: "workspace", value: "*")]
    for try await bytes in try await context.api.lines("/v1/events", everywhere) {
      let line = EventLine(json: API.json(bytes))
      guard let message = line.message(epoch: Fold.epoch), let receipt = Receipt(line.receipt) else {
        throw Failure.refused("the server told a record that this build cannot read: \(line.receipt)")
      }
      waiting[receipt.servicePartition, default: []].append(message.record)
      count += 1
      progress.advance()
      if count % 2000 == 0 { try await append(&waiting, to: log) }
    }
    try await append(&waiting, to: log)
  }

  private func append(_ waiting: inout [ServicePartition: [NewRecord]], to log: any EventLog) async throws {
    for (partition, records) in waiting { try await log.append(records, to: partition.events) }
    waiting = [:]
  }
}
