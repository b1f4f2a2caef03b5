package import EventLog
package import Messaging
package import ServiceKit

/// An owner that runs in a task of its own, for tests: start, send, wait for decisions, stop.
package final class RunningOwner<D: Domain>: Sendable {
  package let service: OwnerService<D>
  package let context: ServiceContext
  private let task: Task<Void, any Error>

  /// Starts the owner of one partition and returns once it is ready, stands still, or failed to start.
  package init(
    partition: Int = 0, log: any EventLog, data: String, partitionCount: Int = 1,
    options: OwnerService<D>.Options = .init(), logger: Logger = .silent
  ) async throws {
    let context = ServiceContext(log: log, data: data, partitionCount: partitionCount, logger: logger)
    let service = OwnerService<D>(partition: partition, context: context, options: options)
    self.service = service
    self.context = context
    try await service.prepare()
    task = Task { try await service.run() }
  }

  /// Cancels it, as SIGTERM does, and waits until it has put everything in order.
  package func stop() async throws {
    task.cancel()
    try await task.value
  }

  /// Appends a command and returns its id.
  @discardableResult
  package func send(
    _ type: String, _ data: JSON, id: MessageID = .next(), workspace: String = Workspace.main
  ) async throws -> MessageID {
    let message = Message(
      id: id, source: "/test", type: type, time: .now(), workspace: workspace, data: data.bytes)
    try await context.log.append([message.record], to: TopicPartition(Topic.commands(D.service), service.partition))
    return id
  }

  /// Waits for the valid decision of a command: its first.
  package func decision(of id: MessageID) async throws -> Decision {
    try await ValidReader(context.log, TopicPartition(Topic.events(D.service), service.partition)).decision(of: id)
  }

  /// Sends a command and waits for its decision.
  package func ask(_ type: String, _ data: JSON, id: MessageID = .next()) async throws -> Decision {
    try await decision(of: send(type, data, id: id))
  }
}

/// Reads an event partition from its beginning as every reader must.
package struct ValidReader: Sendable {
  let log: any EventLog
  let partition: TopicPartition

  package init(_ log: any EventLog, _ partition: TopicPartition) {
    self.log = log
    self.partition = partition
  }

  /// Waits until a whole command fits and returns it.
  package func first(where fits: ([ValidRecord]) -> Bool) async throws -> [ValidRecord] {
    let reader = try await log.reader(of: partition, from: 0)
    defer { reader.close() }
    var validity = Validity()
    while true {
      let records = try await reader.next(atMost: 1000)
      if records.isEmpty { throw TesterError("the log was closed before the record came") }
      for record in records {
        if case .command(let command) = validity.feed(record), fits(command) { return command }
      }
    }
  }

  /// Waits for a command's decision.
  package func decision(of id: MessageID) async throws -> Decision {
    let command = try await first { $0.last?.message.causationID == id }
    guard let last = command.last, let decision = Decision(try JSON(parsing: last.message.data)) else {
      throw TesterError("the record is no decision")
    }
    return decision
  }

  /// Everything valid that is there now.
  package func all() async throws -> [ValidRecord] {
    let end = try await log.bounds(of: partition).upperBound
    let reader = try await log.reader(of: partition, from: 0)
    defer { reader.close() }
    var validity = Validity()
    var next: Int64 = 0
    var valid: [ValidRecord] = []
    while next < end {
      let records = try await reader.next(atMost: 1000)
      guard let last = records.last else { break }
      for record in records { if case .command(let command) = validity.feed(record) { valid += command } }
      next = last.offset + 1
    }
    return valid
  }
}
