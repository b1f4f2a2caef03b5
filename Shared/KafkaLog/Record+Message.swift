import CRdKafka
import EventLog
import Messaging

extension Record {
  /// A record as it came: names that are not UTF-8 are repaired, headers without a value have an empty one.
  init(_ message: UnsafeMutablePointer<rd_kafka_message_t>) {
    let it = unsafe message.pointee
    var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let time = unsafe rd_kafka_message_timestamp(message, &kind)
    var headers: [Header] = []
    var list: OpaquePointer?
    if unsafe rd_kafka_message_headers(message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR, let list = unsafe list {
      headers.reserveCapacity(unsafe rd_kafka_header_cnt(list))
      var name: UnsafePointer<CChar>?
      var value: UnsafeRawPointer?
      var size = 0
      while unsafe rd_kafka_header_get_all(list, headers.count, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
        headers.append(
          Header(unsafe name.map { unsafe String(cString: $0) } ?? "", unsafe Self.bytes(value, size) ?? []))
      }
    }
    unsafe self.init(
      offset: it.offset, time: Timestamp(milliseconds: max(0, time)), key: Self.bytes(it.key, it.key_len),
      headers: headers, value: Self.bytes(it.payload, it.len))
  }

  /// Nil where there are none, which is not the same as no bytes.
  private static func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> [UInt8]? {
    guard let start = unsafe start else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// About what it takes in memory.
  var size: Int { headers.reduce((value?.count ?? 0) + 512) { $0 + $1.value.count } }
}
