import CRdKafka
import EventLog

extension NewRecord {
  /// Hands the record to librdkafka, which copies it. Does not block.
  func produce(
    _ client: OpaquePointer, _ topic: OpaquePointer, _ partition: Int32, _ number: UInt64
  ) -> rd_kafka_resp_err_t {
    let headers = unsafe rd_kafka_headers_new(self.headers.count)
    for header in self.headers {
      let code = unsafe lend(header.value) { value, count in
        unsafe rd_kafka_header_add(headers, header.name, -1, value, count)
      }
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        unsafe rd_kafka_headers_destroy(headers)
        return code
      }
    }
    let code = unsafe lend(key) { key, keyCount in
      unsafe lend(value) { value, count in
        unsafe daybook_kafka_produce(
          client, topic, partition, key, keyCount, value, count, headers, time?.milliseconds ?? 0, number)
      }
    }
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { unsafe rd_kafka_headers_destroy(headers) }
    return code
  }
}

/// Lends the bytes; no pointer for nil, a pointer to no bytes for empty ones.
private func lend<T>(_ bytes: [UInt8]?, _ body: (UnsafeRawPointer?, Int) -> T) -> T {
  guard let bytes else { return body(nil, 0) }
  guard !bytes.isEmpty else { return unsafe withUnsafeBytes(of: UInt8(0)) { unsafe body($0.baseAddress, 0) } }
  return unsafe bytes.withUnsafeBytes { unsafe body($0.baseAddress, $0.count) }
}
