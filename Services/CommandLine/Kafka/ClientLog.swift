import EventLog
import KafkaLog
import Messaging
import ServiceKit

/// The Kafka that a command line names, opened where it is first needed.
actor ClientLog {
  nonisolated let servers: String
  private let settings: KafkaSettings
  private let topics: TopicSettings
  private let seconds: Double
  private var opened: KafkaLog?

  /// Nil where no Kafka is named. Throws where its settings are wrong. `seconds`: how long a broker may take to answer.
  init?(_ invocation: Invocation, servers: String? = nil, seconds: Double = 10) throws {
    guard let servers = servers ?? invocation.value("kafka") else { return nil }
    self.servers = servers
    self.seconds = seconds
    settings = try KafkaSettings.read(
      servers: servers, configFile: invocation.value("kafka-config"),
      allowPlaintext: invocation.has("kafka-plaintext"), environment: invocation.console.environment)
    topics = TopicSettings(
      replicationFactor: try invocation.integer("replication-factor", in: 1...100),
      minInsyncReplicas: try invocation.integer("min-insync-replicas", in: 1...100))
  }

  /// The log. Who cannot reach it or is not let in gets one sentence and status 3.
  func open() async throws -> KafkaLog {
    if let opened { return opened }
    do {
      let log = try await KafkaLog.open(
        settings, topics: topics, clientID: "daybook-client", patience: .milliseconds(Int(seconds * 1000)))
      opened = log
      return log
    } catch {
      throw Failure.unreachable(error.description)
    }
  }

  /// The log and its number of partitions; refused where no service has made its topics.
  func openStory() async throws -> (log: KafkaLog, partitionCount: Int) {
    let log = try await open()
    for service in ServiceContext.owners {
      if let count = try await log.partitions(of: Topic.events(service)) { return (log, count) }
    }
    throw Failure.refused("Kafka at \(servers) has no topics of Daybook; start its services first")
  }

  func close() async {
    await opened?.close()
    opened = nil
  }
}
