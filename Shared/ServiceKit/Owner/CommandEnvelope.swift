import EventLog
import Messaging

/// Reads a record of a command topic as a command's envelope.
enum CommandEnvelope {
  /// Limits of what every event of the command carries on, in bytes.
  static let longestType = 200
  static let longestActor = 800
  static let longestCorrelation = 200

  /// Throws where the record is no command: its decision is then `unreadable`.
  static func read(_ record: Record) throws(EnvelopeError) -> Message {
    let message = try Message(record)
    guard Workspace.isValid(message.workspace) else {
      throw EnvelopeError(
        message.workspace.isEmpty ? "no workspace is named, nor a key" : "the workspace's name is not a valid one")
    }
    guard message.type.utf8.count <= longestType else {
      throw EnvelopeError("ce_type has more than \(longestType) bytes")
    }
    guard message.actor?.utf8.count ?? 0 <= longestActor else {
      throw EnvelopeError("ce_actor has more than \(longestActor) bytes")
    }
    guard message.correlationID?.utf8.count ?? 0 <= longestCorrelation else {
      throw EnvelopeError("ce_correlationid has more than \(longestCorrelation) bytes")
    }
    return message
  }

  /// The key as a workspace, where it is one: whose history an unreadable record belongs to.
  static func workspace(ofKey key: [UInt8]?) -> String? {
    guard let key, let name = String(validating: key, as: UTF8.self), Workspace.isValid(name) else { return nil }
    return name
  }
}
