package import EventLog
import Messaging
import Testing

/// What every event log must do, written against the protocol alone. Each implementation runs all of `cases`:
///
///     @Test(.timeLimit(.minutes(1)), arguments: EventLogConformance.cases)
///     func `my log keeps the contract`(_ conformance: EventLogConformance) async throws {
///       try await conformance.run(EventLogFixture(isDurable: true) { try await MyLog(…) })
///     }
package struct EventLogConformance: Sendable, CustomTestStringConvertible {
  package let name: String
  private let body: @Sendable (EventLogFixture) async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable (EventLogFixture) async throws -> Void) {
    self.name = name
    self.body = body
  }

  package var testDescription: String { name }

  package func run(_ fixture: EventLogFixture) async throws { try await body(fixture) }

  package static let cases: [EventLogConformance] = topics + appending + reading + finding + closing
}

/// The storage that one case runs on.
package struct EventLogFixture: Sendable {
  /// Whether what was appended is there after the log was closed and opened again.
  package let isDurable: Bool
  /// Opens the log on the same storage each time; the case closes it.
  package let open: @Sendable () async throws -> any EventLog

  package init(isDurable: Bool, open: @escaping @Sendable () async throws -> any EventLog) {
    self.isDurable = isDurable
    self.open = open
  }

  /// Runs the body with the log and a topic of its own of two partitions, then closes the log.
  func with(_ body: (any EventLog, TopicPartition) async throws -> Void) async throws {
    let log = try await open()
    let topic = Self.freshTopic()
    do {
      try await log.create([topic], partitions: 2)
      try await body(log, TopicPartition(topic, 1))
    } catch {
      await log.close()
      throw error
    }
    await log.close()
  }

  static func freshTopic() -> String { "conformance.\(MessageID.next())" }
}

/// A record with a text as its value.
func record(_ text: String, sequence: Int64? = nil) -> NewRecord {
  var headers = [Header("ce_type", "test")]
  if let sequence { headers.append(Header("ce_sequence", String(sequence))) }
  return NewRecord(key: Array("main".utf8), headers: headers, value: Array(text.utf8), sequence: sequence)
}

extension Record {
  /// The value as a text; nil for a tombstone.
  package var text: String? { value.map { String(decoding: $0, as: UTF8.self) } }
}

extension LogReader {
  /// Reads until that many records have come, or the reader ended.
  package func read(_ count: Int, atMost limit: Int = 1000) async throws -> [Record] {
    var records: [Record] = []
    while records.count < count {
      let more = try await next(atMost: min(limit, count - records.count))
      if more.isEmpty { break }
      records += more
    }
    return records
  }
}
