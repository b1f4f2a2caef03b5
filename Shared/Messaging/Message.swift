/// A CloudEvents 1.0 envelope with its data: a command, an event, a decision or a claim. Written to a log in Kafka's
/// binary mode (`ce_*` headers; the value is the JSON data).
package struct Message: Sendable, Equatable {
  /// `ce_id`: a version 7 UUID where Daybook made it; of a command, any UUID.
  package var id: MessageID
  /// `ce_source`: `/daybook/tasks`.
  package var source: String
  /// `ce_type`: `tasks.item.added.v1`.
  package var type: String
  /// `ce_subject`: `item/<id>`.
  package var subject: String?
  /// `ce_time`.
  package var time: Timestamp
  /// `ce_workspace`; empty for a claim, which is of a whole partition.
  package var workspace: String
  /// `ce_actor`: who asked for it.
  package var actor: String?
  /// `ce_correlationid`: what a chain of messages has in common; the first command's id where nobody gave one.
  package var correlationID: String?
  /// `ce_causationid`: the id of the command that caused it.
  package var causationID: MessageID?
  /// `ce_sequence`: the number of an event or decision within (service, partition); nil for commands and claims.
  package var sequence: Int64?
  /// `ce_epoch`: which run of an owner wrote it; nil for commands.
  package var epoch: Int64?
  /// The value: JSON text.
  package var data: [UInt8]

  package init(
    id: MessageID, source: String, type: String, subject: String? = nil, time: Timestamp, workspace: String,
    actor: String? = nil, correlationID: String? = nil, causationID: MessageID? = nil, sequence: Int64? = nil,
    epoch: Int64? = nil, data: [UInt8]
  ) {
    self.id = id
    self.source = source
    self.type = type
    self.subject = subject
    self.time = time
    self.workspace = workspace
    self.actor = actor
    self.correlationID = correlationID
    self.causationID = causationID
    self.sequence = sequence
    self.epoch = epoch
    self.data = data
  }

  /// The types that the kit itself writes.
  package enum Kind {
    package static let decided = "daybook.command.decided.v1"
    package static let unreadable = "daybook.command.unreadable.v1"
    package static let claimed = "daybook.owner.claimed.v1"
    package static let moved = "daybook.log.moved.v1"
  }

  /// Whether it ends a command: a decision, or what stands in its place for an unreadable record.
  package var endsCommand: Bool { type == Kind.decided || type == Kind.unreadable }
  package var isClaim: Bool { type == Kind.claimed }
}
