#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/// `rd_kafka_producev` is variadic: this is the call that Daybook makes. The library copies key and value; the headers
/// are its own once it returns `NO_ERROR`. Time 0: now.
static inline rd_kafka_resp_err_t daybook_kafka_produce(
  rd_kafka_t *handle, rd_kafka_topic_t *topic, int32_t partition, const void *key, size_t key_size, const void *value,
  size_t value_size, rd_kafka_headers_t *headers, int64_t time, uint64_t number) {
  return rd_kafka_producev(
    handle, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
    RD_KAFKA_V_KEY(key, key_size), RD_KAFKA_V_VALUE((void *)value, value_size), RD_KAFKA_V_HEADERS(headers),
    RD_KAFKA_V_TIMESTAMP(time), RD_KAFKA_V_OPAQUE((void *)(uintptr_t)number), RD_KAFKA_V_END);
}
/// The number that a delivery report's record was produced with.
static inline uint64_t daybook_kafka_number(const rd_kafka_message_t *message) {
  return (uint64_t)(uintptr_t)message->_private;
}
/// Says nothing on standard error: what matters comes as an event.
static inline void daybook_kafka_quiet(rd_kafka_conf_t *settings) { rd_kafka_conf_set_log_cb(settings, NULL); }
