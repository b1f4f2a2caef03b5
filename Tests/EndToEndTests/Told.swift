import Messaging

/// A command that a client sent, and what it was told: all that a client knows.
struct Told: Sendable {
  let id: MessageID
  let type: String
  let workspace: String
  let data: JSON
  /// Nil until it was answered 200 or refused.
  var answer: Answer?

  struct Answer: Sendable, Equatable {
    let status: Int
    let body: [UInt8]
  }

  var service: String { String(type.prefix { $0 != "." }) }
  var request: String {
    JSON.object([
      "id": JSON(id), "type": .string(type), "workspace": .string(workspace), "data": data,
    ]).text
  }
  var content: String { Command.contentHash(type: type, workspace: workspace, canonicalData: data.canonicalBytes) }
}
