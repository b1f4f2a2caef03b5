package import EventLog
import Messaging

extension OwnerCore {
  /// After this many records in the outbox a batch ends.
  static var largestBatch: Int { 10_000 }

  /// Decides records of the command topic in the order of their offsets, in one transaction, up to the first that
  /// fills the batch. Returns how many of them it took: hand over the rest again. Takes none while it does not own.
  ///
  /// A command that fails in any way but a refusal is undone and ends the batch before it; where it is the first of
  /// its batch an `OwnerFault` is thrown. So the commands before it are answered, and it is never skipped. Whatever is
  /// thrown, file and memory are as before the call: what was decided earlier can still be published.
  package func decide(_ records: some Collection<CommandRecord>) throws -> Int {
    guard status == .owning, !records.isEmpty else { return 0 }
    var messages: [Message] = []
    var taken = 0
    let before = (state: state, counters: counters)
    do {
      try begin()
      for record in records {
        if record.record.offset >= state.commandPosition {
          do {
            try decide(record, &messages)
          } catch  where taken > 0 && !db.isAutocommit {
            break
          }
        }
        taken += 1
        if messages.count >= Self.largestBatch { break }
      }
      try commit()
    } catch {
      rollBack()
      (state, counters) = before
      throw error
    }
    for message in messages { unmarked.append(message.sequence ?? 0, message.id) }
    keepFresh(messages)
    return taken
  }

  /// As above, of records as they come from the log.
  package func decide(_ records: some Collection<Record>) throws -> Int { try decide(records.map(CommandRecord.init)) }

  /// One command record, in a savepoint of its own: whole or not at all.
  private func decide(_ command: CommandRecord, _ messages: inout [Message]) throws {
    let record = command.record
    let before = (state: state, messages: messages.count, counters: counters)
    try statements.savepoint.run()
    do {
      switch command.envelope {
      case .success(let envelope): try answer(command, envelope, &messages)
      case .failure(let error): try pass(unreadable: record, error.description, &messages)
      }
      state.commandPosition = record.offset + 1
      try statements.release.run()
    } catch {
      state = before.state
      messages.removeLast(messages.count - before.messages)
      counters = before.counters
      if !db.isAutocommit {
        try statements.undo.run()
        try statements.release.run()
      }
      throw OwnerFault("\(name): the command at offset \(record.offset) failed and is undone: \(error)")
    }
  }

  private func answer(_ command: CommandRecord, _ envelope: Message, _ messages: inout [Message]) throws {
    let (time, content) = (time(of: command.record), command.content)
    let known = try statements.recall.first(envelope.workspace, envelope.id.description) {
      (content: $0.string(0), answer: $0.bytes(1))
    }
    let outcome =
      if let known {
        known.content == content ? Outcome<D.Event>.repeated(known.answer) : .refused(.reusedID)
      } else {
        try outcome(of: envelope, command, now: time)
      }
    var decision = DecisionText(envelope: envelope, content: content, offset: command.record.offset)
    switch outcome {
    case .repeated(let first):
      decision.isRepeat = true
      decision.answer = first
      counters.repeated += 1
    case .refused(let problem):
      decision.answer = decision.refused(problem, receipt: receipt(state.lastSequence + 1))
      counters.refused += 1
    case .accepted(let accepted):
      for event in accepted.events { try write(event, of: envelope, time: time, &messages) }
      decision.eventCount = accepted.events.count
      decision.answer = decision.accepted(accepted.entity, receipt: receipt(state.lastSequence + 1))
      counters.accepted += 1
      counters.events += accepted.events.count
    }
    let sequence = try append(
      envelope.caused(Message.Kind.decided, "command/\(envelope.id)", source, time, data: decision.bytes), &messages)
    if known == nil {
      try remember(
        envelope.workspace, envelope.id, content: content, sequence: sequence, answer: decision.answer)
    }
    log(outcome, envelope, sequence: sequence)
  }

  /// What the rules say of a command that was not seen before.
  private func outcome(
    of envelope: Message, _ command: CommandRecord, now: Timestamp
  ) throws -> Outcome<D.Event> {
    let right = Workspace.partition(of: envelope.workspace, count: partitionCount)
    let key = command.record.key
    guard right == partition, key?.elementsEqual(envelope.workspace.utf8) ?? false else {
      return .refused(
        .wrongPartition(workspace: envelope.workspace, key: key, partition: name, right: right))
    }
    guard envelope.data.count <= Command.largestData else {
      return .refused(
        .tooLarge(
          "The command's data has \(envelope.data.count) bytes; at most \(Command.largestData) are taken."))
    }
    let data: JSONObject
    switch command.data {
    case .success(.object(let object)): data = object
    case .success: return .refused(.malformed("The command's data is not a JSON object."))
    case .failure(let error): return .refused(.malformed("The command's data is not valid JSON: \(error)."))
    }
    do {
      return .accepted(
        try domain.decide(
          Command(
            id: envelope.id, type: envelope.type, workspace: envelope.workspace, actor: envelope.actor, data: data),
          now: now))
    } catch let problem as Problem {
      return .refused(problem)
    }
  }

  private func pass(unreadable record: Record, _ reason: String, _ messages: inout [Message]) throws {
    let unreadable = UnreadableCommand(reason: reason, offset: record.offset, value: record.value ?? [])
    let message = Message(
      id: .next(), source: source, type: Message.Kind.unreadable, subject: "offset/\(record.offset)",
      time: time(of: record), workspace: CommandEnvelope.workspace(ofKey: record.key) ?? "",
      data: unreadable.json.bytes)
    let sequence = try append(message, &messages)
    counters.unreadable += 1
    logger.log(
      .warning, "a record of the command topic is no command",
      [
        "partition": .string(name), "offset": .integer(record.offset), "receipt": .string(receipt(sequence)),
        "reason": .string(reason),
      ])
  }

  /// The record's time in the log, never later than the owner's clock, never before the last record's.
  private func time(of record: Record) -> Timestamp { max(min(record.time, clock()), state.lastTime) }

  private func write(
    _ event: D.Event, of envelope: Message, time: Timestamp, _ messages: inout [Message]
  ) throws {
    try domain.evolve(
      event, at: EventPlace(workspace: envelope.workspace, sequence: state.lastSequence + 1, time: time))
    _ = try append(envelope.caused(event.type, event.subject, source, time, data: event.data.bytes), &messages)
  }

  /// Gives the message the next sequence and puts it into the outbox.
  private func append(_ message: Message, _ messages: inout [Message]) throws -> Int64 {
    var message = message
    let sequence = state.lastSequence + 1
    message.sequence = sequence
    try statements.insert(message, sequence: sequence)
    messages.append(message)
    state.lastSequence = sequence
    state.lastTime = message.time
    return sequence
  }

  func receipt(_ sequence: Int64) -> String { "\(name)/\(sequence)" }

  private func log(_ outcome: Outcome<D.Event>, _ envelope: Message, sequence: Int64) {
    logger.log(
      .info, "command decided",
      [
        "command": .string(envelope.id.description), "type": .string(envelope.type),
        "correlation": .string(envelope.correlationID ?? envelope.id.description),
        "workspace": .string(envelope.workspace), "result": .string(outcome.word),
        "receipt": .string(receipt(sequence)),
      ])
  }
}

/// What comes of a command.
enum Outcome<Event> {
  case accepted(Accepted<Event>)
  case refused(Problem)
  /// Its first answer again.
  case repeated([UInt8])

  /// For log lines: `accepted`, `repeat`, or the refusal's code.
  var word: String {
    switch self {
    case .accepted: "accepted"
    case .refused(let problem): problem.code
    case .repeated: "repeat"
    }
  }
}

extension Message {
  /// A message that this command caused; its sequence is still to be given.
  fileprivate func caused(
    _ type: String, _ subject: String, _ source: String, _ time: Timestamp, data: [UInt8]
  ) -> Message {
    Message(
      id: .next(), source: source, type: type, subject: subject, time: time, workspace: workspace, actor: actor,
      correlationID: correlationID ?? id.description, causationID: id, data: data)
  }
}
