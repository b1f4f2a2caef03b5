package import Messaging

/// One partition of one topic.
package struct TopicPartition: Hashable, Sendable, CustomStringConvertible {
  package let topic: String
  package let partition: Int
  package init(_ topic: String, _ partition: Int) {
    self.topic = topic
    self.partition = partition
  }
  package var description: String { "\(topic)/\(partition)" }
}

/// The names of a service's topics.
package enum Topic {
  package static func commands(_ service: String) -> String { "daybook.\(service).commands" }
  package static func events(_ service: String) -> String { "daybook.\(service).events" }
}

/// A header of a record. Names may repeat; values are bytes.
package struct Header: Sendable, Equatable {
  package let name: String
  package let value: [UInt8]
  package init(_ name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }
  package init(_ name: String, _ value: String) { self.init(name, Array(value.utf8)) }
}

/// A record to be appended. `value` nil is a tombstone; empty is not.
package struct NewRecord: Sendable, Equatable {
  package var key: [UInt8]?
  package var headers: [Header]
  package var value: [UInt8]?
  /// Taken by logs that index it (`ce_sequence`); the headers hold it as well.
  package var sequence: Int64?
  /// When another log took it, where it is carried over from there. Nil: now.
  package var time: Timestamp?

  package init(
    key: [UInt8]?, headers: [Header], value: [UInt8]?, sequence: Int64? = nil, time: Timestamp? = nil
  ) {
    self.key = key
    self.headers = headers
    self.value = value
    self.sequence = sequence
    self.time = time
  }
}

/// A record as it stands in a log.
package struct Record: Sendable, Equatable {
  /// Rises within the partition; need not be contiguous.
  package let offset: Int64
  /// When the log took it; never before its predecessor's on the embedded log.
  package let time: Timestamp
  package let key: [UInt8]?
  package let headers: [Header]
  package let value: [UInt8]?

  package init(offset: Int64, time: Timestamp, key: [UInt8]?, headers: [Header], value: [UInt8]?) {
    self.offset = offset
    self.time = time
    self.key = key
    self.headers = headers
    self.value = value
  }
}
