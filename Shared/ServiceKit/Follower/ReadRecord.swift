package import EventLog
package import Messaging

/// A record with its envelope read: the costly part of taking it in, done beside the folding thread. It leaves the
/// record's headers behind, so that they are freed there as well.
package struct ReadRecord: Sendable {
  package let offset: Int64
  package let time: Timestamp
  /// Nil where it is no message.
  package let message: Message?
  /// The value of what is no message; empty otherwise.
  package let stray: [UInt8]

  package init(_ record: Record) {
    offset = record.offset
    time = record.time
    message = try? Message(record)
    stray = message == nil ? record.value ?? [] : []
  }
}
