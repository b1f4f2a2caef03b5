/// How a command line names the Kafka that holds the log.
enum KafkaOptions {
  static let all: [Option] = [
    .value("kafka", "HOST:PORT", setting: true, "the Kafka broker that holds the log; several with commas"),
    .value("kafka-config", "FILE", setting: true, "settings of the Kafka client: TLS, SASL, the password"),
    Option(name: "kafka-plaintext", isSetting: true, help: "allow records to go to another host unencrypted"),
  ]

  /// Of the topics that are made.
  static let topics: [Option] = [
    .value("replication-factor", "N", setting: true, "of topics that are made (default: the broker's)"),
    .value("min-insync-replicas", "N", setting: true, "of topics that are made (default: the broker's)"),
  ]
}
