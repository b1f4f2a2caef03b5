package import EventLog

/// What every service of a process is built with. Production, `daybook up` and tests build through it alike.
package struct ServiceContext: Sendable {
  package let log: any EventLog
  /// The data directory; each service has a folder of its own in it (`tasks/3.sqlite`).
  package let data: String
  /// The installation's one number of partitions.
  package let partitionCount: Int
  /// The partitions that this process owns; all of them unless told otherwise.
  package let partitions: ClosedRange<Int>
  package let health: Health
  package let metrics: Metrics
  package let logger: Logger
  /// Where positions are told for the log's own tools; nil for a log that has none.
  package let lag: LagReport?

  package init(
    log: any EventLog, data: String, partitionCount: Int = 4, partitions: ClosedRange<Int>? = nil,
    health: Health = Health(), metrics: Metrics = Metrics(), logger: Logger, lag: LagReport? = nil
  ) {
    self.log = log
    self.data = data
    self.partitionCount = partitionCount
    self.partitions = partitions ?? 0...(partitionCount - 1)
    self.health = health
    self.metrics = metrics
    self.logger = logger
    self.lag = lag
  }

  /// The three services that own data, in the order of the design.
  package static let owners = ["library", "visitorlog", "tasks"]
}
