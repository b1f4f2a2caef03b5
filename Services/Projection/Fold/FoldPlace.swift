import Messaging
import SQLite

/// Where an event stands: what the rows that it writes need of it.
struct FoldPlace {
  let workspace: String
  /// The event's own; kept as the entity's `sequence`.
  let sequence: Int64
  let partitionCount: Int

  /// The origin of the entity that this event makes.
  func origin(_ kind: Kind) -> Int64 {
    Origin(workspace, kind, sequence: sequence, partitionCount: partitionCount).number
  }
}

/// An event that does not fit what was folded before it: the log or the file is not what it should be.
struct FoldError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }

  /// An event about an entity that is not there.
  static func missing(_ kind: Kind, _ id: MessageID) -> FoldError {
    FoldError("there is no \(kind) \(id) in the read model")
  }
}
