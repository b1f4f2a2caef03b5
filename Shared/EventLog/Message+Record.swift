package import Messaging

/// Why a record is not a message.
package struct EnvelopeError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

extension Message {
  /// The record that carries this message: CloudEvents 1.0, Kafka binary mode; the key is the workspace.
  package var record: NewRecord {
    var headers: [Header] = []
    headers.reserveCapacity(13)
    headers.append(Header("ce_specversion", "1.0"))
    headers.append(Header("ce_id", id.description))
    headers.append(Header("ce_source", source))
    headers.append(Header("ce_type", type))
    if let subject { headers.append(Header("ce_subject", subject)) }
    headers.append(Header("ce_time", time.description))
    headers.append(Header("content-type", "application/json"))
    if !workspace.isEmpty { headers.append(Header("ce_workspace", workspace)) }
    if let actor { headers.append(Header("ce_actor", actor)) }
    if let correlationID { headers.append(Header("ce_correlationid", correlationID)) }
    if let causationID { headers.append(Header("ce_causationid", causationID.description)) }
    if let sequence { headers.append(Header("ce_sequence", String(sequence))) }
    if let epoch { headers.append(Header("ce_epoch", String(epoch))) }
    return NewRecord(
      key: workspace.isEmpty ? nil : Array(workspace.utf8), headers: headers, value: data, sequence: sequence)
  }

  /// Reads an envelope. `ce_specversion`, `ce_id` (a UUID), `ce_source` and `ce_type` must be there; the workspace
  /// defaults to the key, the time to the record's, the correlation to the id.
  package init(_ record: Record) throws(EnvelopeError) {
    var version = false
    var id: MessageID?
    var source: String?
    var type: String?
    var time: Timestamp?
    var workspace: String?
    self.init(id: MessageID(high: 0, low: 0), source: "", type: "", time: record.time, workspace: "", data: [])
    for header in record.headers {
      // By length first: comparing texts costs more. The commonest are read straight from their bytes.
      switch (header.name.utf8.count, header.name) {
      case (5, "ce_id"):
        guard let parsed = header.value.withUnsafeBufferPointer({ MessageID(utf8: $0) }) else {
          throw EnvelopeError("ce_id is not a UUID")
        }
        id = parsed
        continue
      case (14, "ce_causationid"):
        guard let parsed = header.value.withUnsafeBufferPointer({ MessageID(utf8: $0) }) else {
          throw EnvelopeError("ce_causationid is not a UUID")
        }
        causationID = parsed
        continue
      case (7, "ce_time"):
        if let parsed = header.value.withUnsafeBufferPointer({ Timestamp(utf8: $0) }) {
          time = parsed
          continue
        }
      case (12, "content-type"):
        guard header.value.starts(with: "application/json".utf8) else {
          throw EnvelopeError("content-type is not application/json")
        }
        continue
      default:
        // Only CloudEvents attributes matter; other headers may hold any bytes.
        guard header.name.utf8.starts(with: "ce_".utf8) else { continue }
      }
      guard let value = String(utf8: header.value) else {
        throw EnvelopeError("\(header.name) is not UTF-8")
      }
      switch (header.name.utf8.count, header.name) {
      case (14, "ce_specversion"):
        guard value == "1.0" else { throw EnvelopeError("ce_specversion is not 1.0") }
        version = true
      case (9, "ce_source"): source = value
      case (7, "ce_type"): type = value
      case (10, "ce_subject"): subject = value
      case (7, "ce_time"):
        guard let parsed = Timestamp(value) else { throw EnvelopeError("ce_time is not an RFC 3339 time") }
        time = parsed
      case (12, "ce_workspace"): workspace = value
      case (8, "ce_actor"): actor = value
      case (16, "ce_correlationid"): correlationID = value
      case (11, "ce_sequence"):
        guard let parsed = Int64(value) else { throw EnvelopeError("ce_sequence is not a whole number") }
        sequence = parsed
      case (8, "ce_epoch"):
        guard let parsed = Int64(value) else { throw EnvelopeError("ce_epoch is not a whole number") }
        epoch = parsed
      default: break
      }
    }
    guard version else { throw EnvelopeError("ce_specversion is missing") }
    guard let id else { throw EnvelopeError("ce_id is missing") }
    guard let source, !source.isEmpty else { throw EnvelopeError("ce_source is missing") }
    guard let type, !type.isEmpty else { throw EnvelopeError("ce_type is missing") }
    self.id = id
    self.source = source
    self.type = type
    self.time = time ?? record.time
    if let workspace {
      self.workspace = workspace
    } else if let key = record.key {
      guard let text = String(utf8: key) else { throw EnvelopeError("the key is not UTF-8") }
      self.workspace = text
    }
    data = record.value ?? []
  }
}
