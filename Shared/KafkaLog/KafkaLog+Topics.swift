import CRdKafka
import Dispatch
package import EventLog

extension KafkaLog {
  package func partitions(of topic: String) async throws(LogError) -> Int? { try await describe(topic)?.partitions }

  /// What a broker says about a topic now; nil where there is none.
  func describe(_ topic: String, to doing: String = "describe") async throws(LogError) -> Metadata.Topic? {
    let told = main.handle.told
    let found = try await unsafe main.handle.call { client throws(LogError) -> Metadata.Topic? in
      guard let pointer = unsafe rd_kafka_topic_new(client, topic, nil) else { return nil }
      defer { unsafe rd_kafka_topic_destroy(pointer) }
      let metadata = unsafe Metadata.read(client, pointer, milliseconds: 5000)
      let code = metadata.topic?.code ?? metadata.code
      switch code {
      case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE: return metadata.topic
      case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC: return nil
      default: throw told.refusal(code, topic, to: doing)
      }
    }
    state.withLock { $0.partitions[topic] = found?.partitions }
    return found
  }

  func forget(_ topic: String) { state.withLock { $0.partitions[topic] = nil } }

  /// Throws `unknownTopic` where there is no such partition.
  func require(_ partition: TopicPartition, to doing: String) async throws(LogError) {
    var count = state.withLock { $0.partitions[partition.topic] }
    if count == nil { count = try await describe(partition.topic, to: doing)?.partitions }
    guard let count else { throw .unknownTopic(partition.topic) }
    guard (0..<count).contains(partition.partition) else { throw .unknownTopic(partition.description) }
  }

  package func create(_ topics: [String], partitions count: Int) async throws(LogError) {
    guard count > 0 else { throw .failed("a topic has at least one partition, not \(count)") }
    var missing: [String] = []
    var existing: [String] = []
    for topic in topics where !missing.contains(topic) && !existing.contains(topic) {
      if let found = try await describe(topic) {
        guard found.partitions == count else {
          throw .partitionCount(topic: topic, found: found.partitions, wanted: count)
        }
        existing.append(topic)
      } else {
        missing.append(topic)
      }
    }
    if !existing.isEmpty {
      // Reading the settings may need a right that running does not.
      for finding in (try? await check(existing, partitions: count)) ?? [] { report(finding) }
    }
    guard !missing.isEmpty else { return }
    try await main.createTopics(missing, partitions: count, topicSettings)
    for topic in missing { try await settled(topic, count) }
  }

  /// Waits until a new topic can be read and written.
  private func settled(_ topic: String, _ count: Int) async throws(LogError) {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      if let found = try await describe(topic), found.isReady {
        // Another process may have been first.
        guard found.partitions == count else {
          throw .partitionCount(topic: topic, found: found.partitions, wanted: count)
        }
        return
      }
      await Waiter().wait(atMost: .milliseconds(50))
    }
    throw .failed("topic \(topic) was made, but has no leader after 10 seconds")
  }

  /// What is wrong with the settings of existing topics, a plain sentence each. Changes nothing.
  package func check(_ topics: [String], partitions count: Int) async throws(LogError) -> [String] {
    var findings: [String] = []
    for topic in topics {
      guard let found = try await describe(topic) else {
        findings.append("topic \(topic) is missing: daybook topics create makes it")
        continue
      }
      let values = try await main.topicConfiguration(topic)
      findings += topicSettings.findings(topic, found, values, partitions: count)
    }
    return findings
  }

  /// For tests and the benchmark: deletes topics and all that is in them.
  package func delete(_ topics: [String]) async throws(LogError) {
    for topic in topics { forget(topic) }
    try await main.deleteTopics(topics)
  }

  /// Stores positions as a consumer group's offsets, so that tools show the lag. Nothing reads them back; a failure is
  /// passed over.
  package func writeGroupOffset(group: String, _ positions: [TopicPartition: Int64]) async {
    try? await groups.write(group, positions)
  }
}

extension TopicSettings {
  /// What is wrong with a topic, given its configuration.
  func findings(_ topic: String, _ found: Metadata.Topic, _ values: [String: String], partitions count: Int)
    -> [String]
  {
    var findings: [String] = []
    if found.partitions != count {
      findings.append("topic \(topic) has \(found.partitions) partitions, not \(count)")
    }
    func want(_ name: String, _ isRight: (String) -> Bool, _ why: String) {
      guard let value = values[name], !isRight(value) else { return }
      findings.append("topic \(topic) has \(name)=\(value): \(why)")
    }
    want("cleanup.policy", { $0 == "delete" }, "set cleanup.policy=delete, or records that others need are removed")
    want("retention.ms", { $0 == "-1" }, "set retention.ms=-1, or old records are deleted")
    want("retention.bytes", { $0 == "-1" }, "set retention.bytes=-1, or old records are deleted")
    want(
      "message.timestamp.type", { $0 == "CreateTime" },
      "set message.timestamp.type=CreateTime, or copied records lose their times")
    want(
      "max.message.bytes", { Int($0) ?? 0 >= Producer.largestBatch },
      "set max.message.bytes=\(Producer.largestBatch) or more, or large events are refused")
    if let least = minInsyncReplicas {
      want(
        "min.insync.replicas", { Int($0) ?? 0 >= least },
        "set min.insync.replicas=\(least), or a confirmed record may be on fewer brokers")
    }
    if let least = values["min.insync.replicas"].flatMap({ Int($0) }), least > found.replicas {
      findings.append(
        "topic \(topic) has \(found.replicas) replicas, fewer than min.insync.replicas=\(least): nothing can be written"
      )
    }
    if let wanted = replicationFactor, found.replicas < wanted {
      findings.append("topic \(topic) has \(found.replicas) replicas, fewer than the \(wanted) that are asked for")
    }
    return findings
  }
}
