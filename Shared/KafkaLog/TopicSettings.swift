/// How missing topics are made. `retention.ms=-1` and `cleanup.policy=delete` always: a log keeps everything.
package struct TopicSettings: Sendable, Equatable {
  /// Nil: the broker's own default.
  package var replicationFactor: Int?
  /// Nil: the broker's own default.
  package var minInsyncReplicas: Int?

  package init(replicationFactor: Int? = nil, minInsyncReplicas: Int? = nil) {
    self.replicationFactor = replicationFactor
    self.minInsyncReplicas = minInsyncReplicas
  }
}
