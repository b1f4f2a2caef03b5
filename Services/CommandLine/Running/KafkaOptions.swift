/// How a command line names the Kafka that holds the log.
enum KafkaOptions {
  static let servers = Option.value(
    "kafka", "HOST:PORT", setting: true, "the Kafka that holds the log: writes go, and events are read, straight there")
  static let config = Option.value(
    "kafka-config", "FILE", setting: true, "settings of the Kafka client: TLS, SASL, the password")
  static let plaintext = Option(
    name: "kafka-plaintext", isSetting: true, help: "allow an unencrypted connection to another host")

  /// Of the topics that are made.
  static let topics: [Option] = [
    .value("replication-factor", "N", setting: true, "of topics that are made (default: the broker's)"),
    .value("min-insync-replicas", "N", setting: true, "of topics that are made (default: the broker's)"),
  ]
}
