package import EventLog
package import Messaging

/// Writes an event partition as an owner would: claims, events, decisions, with sequences and epochs. What it makes is
/// messages; `records` gives them offsets, for tests without a log.
package struct StoryBuilder: Sendable {
  package let service: String
  package let partition: Int
  /// The epoch of the claim in force.
  package private(set) var epoch: Int64 = 0
  /// The last sequence taken.
  package private(set) var sequence: Int64 = 0
  /// A second later with every command.
  package var time = Timestamp(milliseconds: 1_750_000_000_000)

  package init(_ service: String = "tasks", _ partition: Int = 0) {
    self.service = service
    self.partition = partition
  }

  /// An event to be written: its type, its subject, its data.
  package struct Event: Sendable {
    package var type: String
    package var subject: String?
    package var data: JSON
    package init(_ type: String, _ subject: String? = nil, _ data: JSON = [:]) {
      self.type = type
      self.subject = subject
      self.data = data
    }
  }

  /// A claim of the next epoch, or of the one given.
  package mutating func claim(epoch: Int64? = nil) -> Message {
    self.epoch = epoch ?? self.epoch + 1
    return Message(
      id: .next(), source: "/daybook/\(service)", type: Message.Kind.claimed, time: time, workspace: "",
      epoch: self.epoch, data: JSON.object(["instance": JSON(MessageID.next())]).bytes)
  }

  /// A command's events and its decision: accepted, or refused with the problem.
  package mutating func command(
    _ events: [Event] = [], type: String = "tasks.item.add.v1", workspace: String = "main", actor: String? = "ada",
    id: MessageID = .next(), entity: MessageID? = nil, refused: Problem? = nil, isRepeat: Bool = false
  ) -> [Message] {
    time.milliseconds += 1000
    var messages = events.map { event in
      message(event.type, event.subject, event.data, workspace: workspace, actor: actor, command: id)
    }
    let place = Receipt(service: service, partition: partition, sequence: sequence + 1).description
    var answer: JSONObject = refused?.json ?? ["status": "accepted", "receipt": .string(place), "id": JSON(entity)]
    answer["command"] = JSON(id)
    if refused == nil { answer["type"] = .string(type) } else { answer["receipt"] = .string(place) }
    answer["workspace"] = .string(workspace)
    let decision = Decision(
      command: id, commandType: type, workspace: workspace, content: String(repeating: "0", count: 64), offset: 0,
      isRepeat: isRepeat, eventCount: events.count, answer: .object(answer))
    messages.append(
      message(Message.Kind.decided, nil, decision.json, workspace: workspace, actor: actor, command: id))
    return messages
  }

  /// One event or decision, with the next sequence.
  package mutating func message(
    _ type: String, _ subject: String? = nil, _ data: JSON = [:], workspace: String = "main", actor: String? = "ada",
    command: MessageID = .next()
  ) -> Message {
    sequence += 1
    return Message(
      id: .next(), source: "/daybook/\(service)", type: type, subject: subject, time: time, workspace: workspace,
      actor: actor, correlationID: command.description, causationID: command, sequence: sequence, epoch: epoch,
      data: data.bytes)
  }

  /// Takes sequences back: the next command has them again (its first owner was lost before its decision).
  package mutating func rewind(to sequence: Int64) { self.sequence = sequence }
}

extension [Message] {
  /// As they would stand in a log, from an offset on.
  package func records(from first: Int64 = 0) -> [Record] {
    enumerated().map { index, message in
      let record = message.record
      return Record(
        offset: first + Int64(index), time: message.time, key: record.key, headers: record.headers, value: record.value)
    }
  }
}
