import CRdKafka
import EventLog
import Glibc
import Messaging

extension Record {
  /// A record as it came: names that are not UTF-8 are repaired, headers without a value have an empty one.
  ///
  /// - Parameter last: the headers of the record before it; what they have in common is kept in memory once.
  init(_ message: UnsafePointer<rd_kafka_message_t>, after last: [Header]) {
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
        let before = headers.count < last.count ? last[headers.count] : nil
        unsafe headers.append(
          Header(name, UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size), before))
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

extension Header {
  fileprivate init(_ name: UnsafePointer<CChar>?, _ value: UnsafeRawBufferPointer, _ before: Header?) {
    let name = unsafe UnsafeRawBufferPointer(start: name, count: name.map { unsafe strlen($0) } ?? 0)
    guard let before, unsafe before.name.utf8.withContiguousStorageIfAvailable({ unsafe same(.init($0), name) }) == true
    else {
      unsafe self.init(String(decoding: name, as: UTF8.self), Array(value))
      return
    }
    if unsafe before.value.withUnsafeBytes({ unsafe same($0, value) }) {
      self = before
    } else {
      unsafe self.init(before.name, Array(value))
    }
  }
}

private func same(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count, let one = a.baseAddress, let other = b.baseAddress else {
    return unsafe a.isEmpty && b.isEmpty
  }
  return unsafe memcmp(one, other, a.count) == 0
}
