import CRdKafka
import Dispatch
import EventLog

extension Consumer {
  /// The cluster's id, as soon as a broker tells it.
  func clusterID(_ patience: Duration) async throws(LogError) -> String {
    let end = ContinuousClock.now + patience
    repeat {
      let id = try await unsafe handle.call { client throws(LogError) -> String? in
        guard let text = unsafe rd_kafka_clusterid(client, 250) else { return nil }
        defer { unsafe rd_kafka_mem_free(client, text) }
        return unsafe String(cString: text)
      }
      if let id, !id.isEmpty { return id }
      if let reason = handle.reason, reason.isFinal { throw .failed(reason.sentence) }
    } while ContinuousClock.now < end
    throw .unreachable(handle.reason?.sentence ?? handle.told.unreachable)
  }

  /// Makes topics; one that another process has made meanwhile is fine.
  func createTopics(_ names: [String], partitions: Int, _ settings: TopicSettings) async throws(LogError) {
    let told = handle.told
    try await unsafe handle.call { client throws(LogError) in
      var topics = unsafe [OpaquePointer?]()
      defer { unsafe rd_kafka_NewTopic_destroy_array(&topics, topics.count) }
      for name in names {
        guard
          let topic = unsafe rd_kafka_NewTopic_new(
            name, Int32(clamping: partitions), Int32(clamping: settings.replicationFactor ?? -1), nil, 0)
        else { throw .failed("topic \(name) cannot have these numbers of partitions and replicas") }
        unsafe topics.append(topic)
        unsafe rd_kafka_NewTopic_set_config(topic, "retention.ms", "-1")
        unsafe rd_kafka_NewTopic_set_config(topic, "retention.bytes", "-1")
        unsafe rd_kafka_NewTopic_set_config(topic, "cleanup.policy", "delete")
        unsafe rd_kafka_NewTopic_set_config(topic, "message.timestamp.type", "CreateTime")
        if let least = settings.minInsyncReplicas {
          unsafe rd_kafka_NewTopic_set_config(topic, "min.insync.replicas", String(least))
        }
      }
      try unsafe Self.ask(client, RD_KAFKA_ADMIN_OP_CREATETOPICS, told) { options, queue in
        unsafe rd_kafka_CreateTopics(client, &topics, topics.count, options, queue)
      } answer: { event throws(LogError) in
        var count = 0
        let results = unsafe rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count)
        for index in 0..<count {
          guard let result = unsafe results?[index] else { continue }
          let code = unsafe rd_kafka_topic_result_error(result)
          let name = unsafe String(cString: rd_kafka_topic_result_name(result))
          switch code {
          case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: continue
          case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
            throw told.refusal(code, name, to: "create")
          default:
            let why = unsafe rd_kafka_topic_result_error_string(result).map { unsafe String(cString: $0) }
            throw .failed("Kafka did not make topic \(name): \(why ?? KafkaTrouble.text(code))")
          }
        }
      }
    }
  }

  /// Deletes topics and all that is in them.
  func deleteTopics(_ names: [String]) async throws(LogError) {
    let told = handle.told
    try await unsafe handle.call { client throws(LogError) in
      var topics = unsafe names.map { unsafe rd_kafka_DeleteTopic_new($0) }
      defer { unsafe rd_kafka_DeleteTopic_destroy_array(&topics, topics.count) }
      try unsafe Self.ask(client, RD_KAFKA_ADMIN_OP_DELETETOPICS, told) { options, queue in
        unsafe rd_kafka_DeleteTopics(client, &topics, topics.count, options, queue)
      } answer: { _ in
      }
    }
  }

  /// A topic's configuration by name.
  func topicConfiguration(_ name: String) async throws(LogError) -> [String: String] {
    let told = handle.told
    return try await unsafe handle.call { client throws(LogError) -> [String: String] in
      var values: [String: String] = [:]
      var resource = unsafe rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name)
      defer { unsafe rd_kafka_ConfigResource_destroy(resource) }
      try unsafe Self.ask(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, told) { options, queue in
        unsafe rd_kafka_DescribeConfigs(client, &resource, 1, options, queue)
      } answer: { event throws(LogError) in
        var count = 0
        let found = unsafe rd_kafka_DescribeConfigs_result_resources(
          rd_kafka_event_DescribeConfigs_result(event), &count)
        for index in 0..<count {
          guard let resource = unsafe found?[index] else { continue }
          let code = unsafe rd_kafka_ConfigResource_error(resource)
          guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw told.refusal(code, name, to: "check") }
          var entryCount = 0
          let entries = unsafe rd_kafka_ConfigResource_configs(resource, &entryCount)
          for index in 0..<entryCount {
            guard let entry = unsafe entries?[index] else { continue }
            guard let value = unsafe rd_kafka_ConfigEntry_value(entry) else { continue }
            unsafe values[String(cString: rd_kafka_ConfigEntry_name(entry))] = unsafe String(cString: value)
          }
        }
      }
      return values
    }
  }

  /// Sends one administrative request and waits for its answer, at most 10 seconds. Only requests that the controller
  /// answers: one to a group's coordinator aborts the process where its broker goes away meanwhile (librdkafka 2.0.2).
  private static func ask(
    _ client: OpaquePointer, _ kind: rd_kafka_admin_op_t, _ told: KafkaTrouble,
    _ send: (OpaquePointer?, OpaquePointer) -> Void, answer: (OpaquePointer) throws(LogError) -> Void
  ) throws(LogError) {
    guard let queue = unsafe rd_kafka_queue_new(client) else { throw .failed("librdkafka has no queue") }
    defer { unsafe rd_kafka_queue_destroy(queue) }
    let options = unsafe rd_kafka_AdminOptions_new(client, kind)
    defer { unsafe rd_kafka_AdminOptions_destroy(options) }
    unsafe rd_kafka_AdminOptions_set_request_timeout(options, 10_000, nil, 0)
    unsafe send(options, queue)
    guard let event = unsafe rd_kafka_queue_poll(queue, 11_000) else { throw .unreachable(told.unreachable) }
    defer { unsafe rd_kafka_event_destroy(event) }
    let code = unsafe rd_kafka_event_error(event)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
      if code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT {
        throw .unreachable(told.unreachable)
      }
      let why = unsafe rd_kafka_event_error_string(event).map { unsafe String(cString: $0) }
      throw .failed("Kafka refused the request: \(why ?? KafkaTrouble.text(code))")
    }
    try unsafe answer(event)
  }
}
