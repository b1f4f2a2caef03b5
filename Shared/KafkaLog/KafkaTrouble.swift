import CRdKafka
import EventLog
import Glibc

/// What librdkafka's errors mean, in plain sentences.
struct KafkaTrouble: Sendable {
  let servers: String
  /// Nil where nobody logs in.
  let user: String?
  let mechanism: String?
  let version: Int32

  init(_ settings: KafkaSettings, version: Int32 = rd_kafka_version()) {
    servers = settings.servers
    user = settings.properties["sasl.username"]
    mechanism = user == nil ? nil : settings.properties["sasl.mechanism"] ?? settings.properties["sasl.mechanisms"]
    self.version = version
  }

  /// Why no broker is reached. `isFinal`: trying again does not help.
  func connection(_ code: rd_kafka_resp_err_t, _ text: String) -> (sentence: String, isFinal: Bool) {
    switch code {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
      if text.contains("handshake failed") {
        return ("the broker at \(servers) does not let anybody log in by \(mechanism ?? "SASL")", true)
      }
      return ("the broker refused the user name or password of \(user ?? "nobody")" + libraryMayBeTheReason, true)
    case RD_KAFKA_RESP_ERR__SSL:
      if text.contains("certificate verify failed") || text.contains("certificate verification failed") {
        return (
          "the certificate of the broker at \(servers) is not trusted: give the file of the authority that signed it, "
            + "as DAYBOOK_KAFKA_CA or ssl.ca.location", true
        )
      }
      return ("the broker at \(servers) does not take an encrypted connection (\(Self.reason(text)))", false)
    case RD_KAFKA_RESP_ERR__RESOLVE:
      return ("the name of the Kafka broker \(servers) is not known here (\(Self.reason(text)))", false)
    case RD_KAFKA_RESP_ERR__TRANSPORT where text.contains("security.protocol"):
      return (
        "the broker at \(servers) closed the connection: it may want TLS or a password there; check "
          + "DAYBOOK_KAFKA_SECURITY_PROTOCOL and DAYBOOK_KAFKA_USERNAME", false
      )
    case RD_KAFKA_RESP_ERR__TRANSPORT where text.contains("refused"):
      return ("no Kafka broker answers at \(servers) (connection refused)", false)
    default: return (unreachable, false)
    }
  }

  var unreachable: String { "no Kafka broker answers at \(servers)" }

  private var libraryMayBeTheReason: String {
    guard mechanism?.hasPrefix("SCRAM") == true, version < 0x0206_01ff else { return "" }
    let number = "\(version >> 24).\(version >> 16 & 0xff).\(version >> 8 & 0xff)"
    return
      "; this librdkafka (\(number)) may be the reason: before 2.6.1 it cannot log in to Kafka 4 by \(mechanism ?? "")"
  }

  /// The last part of librdkafka's text, without addresses and times.
  private static func reason(_ text: String) -> String {
    let parts = text.split(separator: ": ").filter { !$0.hasPrefix("(after") }
    let last = parts.last.map(String.init) ?? text
    return last.split(separator: " (after").first.map(String.init) ?? last
  }

  /// Why a producer works no more.
  func fatal(_ code: rd_kafka_resp_err_t) -> String {
    guard code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED else {
      return "the producer has failed (\(Self.text(code)))"
    }
    return "user \(user ?? "ANONYMOUS") may not write to Kafka: grant it WRITE on Daybook's topics"
  }

  /// What a call for a topic was refused with.
  func refusal(_ code: rd_kafka_resp_err_t, _ topic: String, to doing: String) -> LogError {
    switch code {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
      RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      .unknownTopic(topic)
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      .failed(
        "user \(user ?? "ANONYMOUS") may not \(doing) topic \(topic): grant it \(Self.right(doing)) on that topic")
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      .failed(
        "user \(user ?? "ANONYMOUS") may not \(doing) topic \(topic): grant it \(Self.right(doing)) on the cluster")
    case RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN,
      RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
      .unreachable(unreachable)
    case let code where Self.isWithoutLeader(code) || code == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
      .unreachable("topic \(topic) is with no broker now, as while one takes over for another (\(Self.text(code)))")
    default: .failed("Kafka refused to \(doing) topic \(topic): \(Self.text(code))")
    }
  }

  private static func right(_ doing: String) -> String {
    switch doing {
    case "read": "READ and DESCRIBE"
    case "write": "WRITE and DESCRIBE"
    case "create": "CREATE"
    case "check": "DESCRIBE_CONFIGS"
    default: doing.uppercased()
    }
  }

  /// Runs a call again, at most for five seconds, while a partition changes its leader or has just been made. Blocks.
  static func withoutLeader(_ call: () -> rd_kafka_resp_err_t) -> rd_kafka_resp_err_t {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      let code = call()
      guard isWithoutLeader(code), ContinuousClock.now < end else { return code }
      usleep(50_000)
    }
  }

  /// Over once a broker leads the partition: where one of several was lost, some ten seconds later.
  private static func isWithoutLeader(_ code: rd_kafka_resp_err_t) -> Bool {
    switch code {
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH,
      RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH, RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
      true
    default: false
    }
  }

  static func text(_ code: rd_kafka_resp_err_t) -> String {
    unsafe rd_kafka_err2str(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
