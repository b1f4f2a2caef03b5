import Messaging

/// One event or decision as the history tells it.
struct EventLine: Sendable {
  let json: JSON
  var type: String { json["type"]?.string ?? "" }
  var data: JSON { json["data"] ?? .null }
  var subject: String? { json["subject"]?.string }
  var actor: String? { json["actor"]?.string }
  var workspace: String { json["workspace"]?.string ?? "" }
  var receipt: String { json["receipt"]?.string ?? "" }
  var time: JSON? { json["time"] }

  /// `item` and the id, of the subject `item/<id>`.
  var entity: (kind: String, id: String)? {
    guard let parts = subject?.split(separator: "/"), parts.count == 2 else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  var isDecision: Bool { type == Message.Kind.decided || type == Message.Kind.unreadable }
  /// The answer that a decision gave.
  var answer: JSON? { isDecision ? data["answer"] : nil }
}
