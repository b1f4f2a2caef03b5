import CRdKafka

/// What became of one record that was handed to librdkafka.
struct Delivery: Sendable {
  /// The number that the record was produced with.
  let number: UInt64
  let code: rd_kafka_resp_err_t
  /// Known where it failed.
  let topic: String
  /// -1 where the broker did not tell.
  let offset: Int64
  /// Whether the record may be in the log although it failed.
  let isPossiblyWritten: Bool

  init(_ message: UnsafePointer<rd_kafka_message_t>) {
    unsafe number = daybook_kafka_number(message)
    unsafe code = message.pointee.err
    topic =
      unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR
      ? "" : rd_kafka_topic_name(message.pointee.rkt).map { unsafe String(cString: $0) } ?? ""
    unsafe offset = message.pointee.offset
    unsafe isPossiblyWritten = rd_kafka_message_status(message) != RD_KAFKA_MSG_STATUS_NOT_PERSISTED
  }
}
