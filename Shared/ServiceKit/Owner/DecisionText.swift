import Messaging

/// A decision's data as it is written, straight to bytes: the same text as `Decision.json`.
struct DecisionText {
  let envelope: Message
  let content: String
  let offset: Int64
  var isRepeat = false
  var eventCount = 0
  /// The answer's JSON, byte for byte as the client gets it.
  var answer: [UInt8] = []

  init(envelope: Message, content: String, offset: Int64) {
    self.envelope = envelope
    self.content = content
    self.offset = offset
  }

  var bytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(answer.count + 320)
    out.append(#"{"command":""#)
    out.append(envelope.id.description)
    out.append(#"","commandType":"#)
    JSON.string(envelope.type).write(to: &out, sorted: false)
    out.append(#","workspace":""#)
    out.append(envelope.workspace)
    out.append(#"","content":""#)
    out.append(content)
    out.append(#"","offset":"#)
    out.append(String(offset))
    out.append(isRepeat ? #","repeat":true,"events":"# : #","repeat":false,"events":"#)
    out.append(String(eventCount))
    out.append(#","answer":"#)
    out.append(contentsOf: answer)
    out.append("}")
    return out
  }

  /// `{"status":"accepted","receipt","id","command","type","workspace","events"}`.
  func accepted(_ entity: MessageID?, receipt: String) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    out.append(#"{"status":"accepted","receipt":""#)
    out.append(receipt)
    out.append(#"","id":"#)
    JSON(entity).write(to: &out, sorted: false)
    out.append(#","command":""#)
    out.append(envelope.id.description)
    out.append(#"","type":"#)
    JSON.string(envelope.type).write(to: &out, sorted: false)
    out.append(#","workspace":""#)
    out.append(envelope.workspace)
    out.append(#"","events":"#)
    out.append(String(eventCount))
    out.append("}")
    return out
  }

  /// The problem with `command`, `receipt` and `workspace`.
  func refused(_ problem: Problem, receipt: String) -> [UInt8] {
    var object = problem.json
    object["command"] = JSON(envelope.id)
    object["receipt"] = .string(receipt)
    object["workspace"] = .string(envelope.workspace)
    return JSON.object(object).bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }
}

extension Problem {
  /// The command's id was used before, with another content.
  static let reusedID = Problem.conflict(
    "command-id-reused",
    "This command id was used before for another command. Send each command under an id of its own.")

  /// The record's key is not its workspace, or the workspace is of another partition.
  static func wrongPartition(workspace: String, key: [UInt8]?, partition: String, right: Int) -> Problem {
    let key = key.map { "the key \"\(String(decoding: $0.prefix(100), as: UTF8.self))\"" } ?? "no key"
    return .conflict(
      "wrong-partition",
      "A command of workspace \(workspace) belongs to partition \(right), with the workspace as its key; this one "
        + "came to \(partition) with \(key).",
      ["partition": JSON(right)])
  }
}
