import EventLog
import Messaging

extension OwnerService {
  /// Decides, publishes and reads back side by side until one of them ends or the task is cancelled.
  func work(_ session: Session) async throws {
    let core = try open()
    let commands = try await context.log.reader(of: commands, from: core.state.commandPosition)
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.readBack(session.reader) }
        group.addTask { try await self.decide(commands) }
        group.addTask { try await self.relay(session.writer) }
        group.addTask {
          await Signal.cancellation()
          session.reader.close()
          commands.close()
          await session.writer.close()
        }
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch {
      (appending, isStanding) = (nil, false)
      tellOwnership(false)
      throw error
    }
    (appending, isStanding) = (nil, false)
    tellOwnership(false)
  }

  /// Tells where the log has not confirmed an append for too long, and clears it once it has. Runs when somebody asks
  /// for the state, so that nothing has to poll.
  func judge() {
    guard core?.status == .owning, !isStanding else { return }
    guard let since = appending, .now - since >= options.patience else { return context.health.set(name, .ready) }
    context.health.set(
      name,
      .notReady(
        "the log has not confirmed its records for over \(options.patience); what was decided waits in its outbox"))
  }

  /// Decides what has come, batch by batch, never waiting to fill one. Waits while too much is not read back. Stands
  /// still at a command that fails.
  private func decide(_ reader: any LogReader) async throws {
    while true {
      var rest = try await nextCommands(reader, atMost: options.batch)[...]
      while !rest.isEmpty {
        while let core, core.unmarkedCount >= options.backlog {
          await room.wait()
          try Task.checkCancellation()
        }
        let taken: Int
        do {
          taken = try core?.decide(rest) ?? 0
        } catch let fault as OwnerFault {
          // The command stays the next one. What was decided before it is still published.
          isStanding = true
          tellStopped(fault.description)
          await Signal.cancellation()
          throw fault
        }
        guard taken > 0 else {
          // It does not own any more, and reading back says why.
          await Signal.cancellation()
          throw CancellationError()
        }
        rest = rest.dropFirst(taken)
        outbox.fire()
        tellCounters()
        if let position = core?.state.commandPosition {
          context.lag?.moved("daybook-\(D.service)", commands, to: position)
        }
      }
    }
  }

  /// Appends the outbox to the log in order. One append is under way at a time; meanwhile the next one grows.
  private func relay(_ writer: any LogWriter) async throws {
    while true {
      let messages = try core?.nextMessages(atMost: options.append) ?? []
      if messages.isEmpty {
        await outbox.wait()
        try Task.checkCancellation()
      } else {
        appending = .now
        try await append(messages, to: writer)
        appending = nil
        if context.health.state(of: name) != .ready { judge() }
      }
    }
  }

  /// Many are encoded beside the owner's thread; for a few the way there costs more.
  private func append(_ messages: [Message], to writer: any LogWriter) async throws {
    let records = messages.count > Self.few ? await beside { messages.map(\.record) } : messages.map(\.record)
    try await writer.append(records)
  }

  /// What is there to decide; many are read beside the owner's thread.
  private func nextCommands(_ reader: any LogReader, atMost limit: Int) async throws -> [CommandRecord] {
    let records = try await next(reader, atMost: limit)
    return records.count > Self.few ? await beside { records.map(CommandRecord.init) } : records.map(CommandRecord.init)
  }

  /// Runs beside the owner's thread.
  nonisolated func beside<T: Sendable>(_ body: @Sendable () -> T) async -> T {
    await withTaskExecutorPreference(globalConcurrentExecutor) { body() }
  }

  /// Reads the own partition as any reader does: only what comes back as valid leaves the outbox.
  private func readBack(_ reader: any LogReader) async throws {
    while true {
      let records = try await nextEvents(reader, atMost: 2000)
      _ = try take(records)
      guard let core else { throw CancellationError() }
      room.fire()
      if core.unflushedCount >= options.backlog { try core.flushMark() } else { settleSoon() }
    }
  }

  /// Stores the mark once the owner has nothing to do: while it has, the next commit stores it, and a transaction of its
  /// own at every turn would only make the clients wait. One timer at most, and none while nothing is to be stored.
  private func settleSoon() {
    guard !isSettling, core?.isMarkDirty == true else { return }
    isSettling = true
    Task {
      try? await Task.sleep(for: .milliseconds(200))
      settle()
    }
  }

  private func settle() {
    isSettling = false
    guard let core, core.status == .owning, core.unmarkedCount == 0 else { return }
    // It is stored by the next commit or at the close, or read forward again.
    do { try core.flushMark() } catch { logger.log(.warning, "the mark was not stored: \(error)") }
  }
}
