package import Messaging

/// The hash chain of one partition: what makes a change of its history show.
///
/// A record's hash is SHA-256 over: the hash before it (32 zero bytes before the first); the envelope's fields id,
/// source, type, subject, time (RFC 3339), workspace, actor, correlation, command, sequence, in this order, each as
/// UTF-8 behind its length in 4 bytes, highest first (an absent field: ff ff ff ff and nothing else); and the SHA-256
/// of the raw data. Offset, log time and epoch are left out, so the same history has the same hashes in every log.
package enum AuditChain {
  /// Stands before the first record.
  package static let start = [UInt8](repeating: 0, count: 32)

  package static func hash(_ message: Message, after previous: [UInt8]) -> [UInt8] {
    var bytes = previous
    bytes.reserveCapacity(512)
    append(message.id.description, to: &bytes)
    append(message.source, to: &bytes)
    append(message.type, to: &bytes)
    append(message.subject, to: &bytes)
    append(message.time.description, to: &bytes)
    append(message.workspace, to: &bytes)
    append(message.actor, to: &bytes)
    append(message.correlationID, to: &bytes)
    append(message.causationID?.description, to: &bytes)
    append(message.sequence.map(String.init), to: &bytes)
    bytes.append(contentsOf: Digest.sha256(message.data))
    return Digest.sha256(bytes)
  }

  private static func append(_ field: String?, to bytes: inout [UInt8]) {
    guard let field else {
      bytes.append(contentsOf: [0xff, 0xff, 0xff, 0xff])
      return
    }
    withUnsafeBytes(of: UInt32(field.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: field.utf8)
  }
}
