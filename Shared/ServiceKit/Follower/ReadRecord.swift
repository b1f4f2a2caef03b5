package import EventLog
package import Messaging

/// A record with its envelope read: the costly part of taking it in, done beside the folding thread.
package struct ReadRecord: Sendable {
  package let record: Record
  /// Nil where it is no message.
  package let message: Message?

  package init(_ record: Record) {
    self.record = record
    message = try? Message(record)
  }
}
