/// The one answer to a command: the data of `daybook.command.decided.v1`.
package struct Decision: Sendable, Equatable {
  package var command: MessageID
  package var commandType: String
  package var workspace: String
  /// SHA-256 of the command's content, in hexadecimal: see `Command.contentHash`.
  package var content: String
  /// The command record's offset in the command topic.
  package var offset: Int64
  /// Set where the command had been answered before, with the same content: `answer` is the first one.
  package var isRepeat: Bool
  /// How many events the command made (0 for a repeat); they stand directly before the decision.
  package var eventCount: Int
  /// What the client is told, byte for byte: `{"status":"accepted","receipt",…}` or a problem with `command` and
  /// `receipt`.
  package var answer: JSON

  package init(
    command: MessageID, commandType: String, workspace: String, content: String, offset: Int64, isRepeat: Bool,
    eventCount: Int, answer: JSON
  ) {
    self.command = command
    self.commandType = commandType
    self.workspace = workspace
    self.content = content
    self.offset = offset
    self.isRepeat = isRepeat
    self.eventCount = eventCount
    self.answer = answer
  }

  package var isAccepted: Bool { answer["status"] == "accepted" }
  /// The HTTP status of the answer: 200, or the problem's.
  package var httpStatus: Int { answer["status"]?.integer.map(Int.init) ?? 200 }

  package var json: JSON {
    [
      "command": JSON(command), "commandType": .string(commandType), "workspace": .string(workspace),
      "content": .string(content), "offset": .integer(offset), "repeat": JSON(isRepeat),
      "events": JSON(eventCount), "answer": answer,
    ]
  }

  /// Nil where the data is not a decision of this version.
  package init?(_ json: JSON) {
    guard let command = json["command"]?.string.flatMap(MessageID.init), let type = json["commandType"]?.string,
      let workspace = json["workspace"]?.string, let content = json["content"]?.string,
      let offset = json["offset"]?.integer, let isRepeat = json["repeat"]?.bool,
      let events = json["events"]?.integer, let answer = json["answer"]
    else { return nil }
    self.init(
      command: command, commandType: type, workspace: workspace, content: content, offset: offset,
      isRepeat: isRepeat, eventCount: Int(events), answer: answer)
  }
}

/// A request to change something, as an owner's rules see it.
package struct Command: Sendable {
  package let id: MessageID
  /// `tasks.item.add.v1`.
  package let type: String
  package let workspace: String
  package let actor: String?
  package let data: JSONObject

  package init(id: MessageID, type: String, workspace: String, actor: String?, data: JSONObject) {
    self.id = id
    self.type = type
    self.workspace = workspace
    self.actor = actor
    self.data = data
  }

  /// The most that a command's data may have, in bytes of JSON.
  package static let largestData = 256 * 1024

  /// SHA-256 in hexadecimal over type, workspace and canonical data, each behind its length: what tells two commands
  /// with one id apart. Where `data` is not JSON its bytes are hashed as they are.
  package static func contentHash(type: String, workspace: String, canonicalData: [UInt8]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(canonicalData.count + 96)
    for part in [Array(type.utf8), Array(workspace.utf8), canonicalData] {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: part)
    }
    return Digest.hex(Digest.sha256(bytes))
  }
}
