package import EventLog
import Messaging

/// A record of a command topic, read as far as that needs no state: beside the owner's thread.
package struct CommandRecord: Sendable {
  let record: Record
  /// The envelope, or why it is no command.
  let envelope: Result<Message, EnvelopeError>
  let data: Result<JSON, JSONError>
  /// `Command.contentHash`; empty where it is no command.
  let content: String

  package init(_ record: Record) {
    self.record = record
    do throws(EnvelopeError) {
      let envelope = try CommandEnvelope.read(record)
      let data = Result { () throws(JSONError) in try JSON(parsing: envelope.data) }
      content = Command.contentHash(
        type: envelope.type, workspace: envelope.workspace,
        canonicalData: (try? data.get())?.canonicalBytes ?? envelope.data)
      self.envelope = .success(envelope)
      self.data = data
    } catch {
      envelope = .failure(error)
      data = .success(.null)
      content = ""
    }
  }
}
