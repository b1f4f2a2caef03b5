package import EventLog
package import Messaging

/// One partition of one service: `tasks/3`. What positions, sequences, chains and claims are kept by.
package struct ServicePartition: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let service: String
  package let partition: Int

  package init(_ service: String, _ partition: Int) {
    self.service = service
    self.partition = partition
  }

  /// Every partition of every service, by name and number.
  package static func all(_ services: [String], partitionCount: Int) -> [ServicePartition] {
    services.sorted().flatMap { service in (0..<partitionCount).map { ServicePartition(service, $0) } }
  }

  /// Where its events and decisions stand in the log.
  package var events: TopicPartition { TopicPartition(Topic.events(service), partition) }
  package func receipt(_ sequence: Int64) -> Receipt {
    Receipt(service: service, partition: partition, sequence: sequence)
  }

  package var description: String { "\(service)/\(partition)" }

  package static func < (a: ServicePartition, b: ServicePartition) -> Bool {
    (a.service, a.partition) < (b.service, b.partition)
  }
}

extension Receipt {
  /// The partition that the receipt stands in.
  package var servicePartition: ServicePartition { ServicePartition(service, partition) }
}
