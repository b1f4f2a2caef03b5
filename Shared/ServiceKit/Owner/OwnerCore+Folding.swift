import Contracts
import Messaging
import SQLite

extension OwnerCore {
  /// Does to the database what a valid record of the partition says, as deciding did where it was decided. Inside a
  /// transaction.
  func fold(_ message: Message, sequence: Int64) throws {
    switch message.type {
    case Message.Kind.decided: try foldDecision(message, sequence: sequence)
    case Message.Kind.unreadable:
      guard let unreadable = UnreadableCommand(try json(message)) else { throw broken(message, "its data is another") }
      state.commandPosition = unreadable.offset + 1
    default:
      let event: D.Event
      do {
        event = try D.Event(type: message.type, data: try json(message))
      } catch let error as ContractError {
        throw broken(message, error.description)
      }
      try domain.evolve(
        event, at: EventPlace(workspace: message.workspace, sequence: sequence, time: message.time))
    }
    state.lastSequence = sequence
    state.lastTime = message.time
  }

  private func foldDecision(_ message: Message, sequence: Int64) throws {
    guard rules.contains(.decisions) else { return }
    guard let decision = Decision(try json(message)) else { throw broken(message, "its data is another") }
    try remember(
      decision.workspace, decision.command, content: decision.content, sequence: sequence,
      answer: decision.answer.bytes)
    state.commandPosition = decision.offset + 1
  }

  /// Keeps a command's answer; the first one stays.
  func remember(
    _ workspace: String, _ id: MessageID, content: String, sequence: Int64, answer: [UInt8]
  ) throws {
    try statements.remember.run(workspace, id.description, content, sequence, UTF8Text(answer))
  }

  private func json(_ message: Message) throws -> JSON {
    do { return try JSON(parsing: message.data) } catch { throw broken(message, "\(error)") }
  }

  private func broken(_ message: Message, _ why: String) -> OwnerFault {
    OwnerFault("record \(message.sequence ?? 0) of \(name), a \(message.type), cannot be folded: \(why)")
  }
}
