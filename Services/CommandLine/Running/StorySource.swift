import EventLog
import Messaging
import ServiceKit

/// Where replay reads what happened: the log of a stopped data directory, Kafka, or a server's history.
final class StorySource {
  private enum Kind {
    case server(AsyncThrowingStream<[UInt8], any Error>.Iterator)
    case log(LogReading)
  }
  private var kind: Kind
  private let workspace: String
  private let to: Timestamp?
  private let log: (any EventLog)?

  /// `query` holds the bounds that a server is asked with.
  init(_ context: Context, query: [(name: String, value: String)]) async throws {
    workspace = context.api.workspace
    let (log, count): (any EventLog, Int)
    if let data = context.invocation.value("data") {
      (log, count) = try await DataFolder(path: data).stoppedLog(holder: "daybook replay")
    } else if let kafka = context.kafka {
      (log, count) = try await kafka.openStory()
    } else {
      self.log = nil
      to = nil
      kind = .server(try await context.api.lines("/v1/events", query).makeAsyncIterator())
      return
    }
    self.log = log
    to = try await StorySource.time(query.first { $0.name == "to" }?.value, in: log)
    kind = .log(try await LogReading(log, partitionCount: count))
  }

  deinit { if case .log(let reading) = kind { reading.close() } }

  /// Nil at the end.
  func next() async throws -> EventLine? {
    switch kind {
    case .server(var lines):
      let bytes = try await lines.next()
      kind = .server(lines)
      return bytes.map { EventLine(json: API.json($0)) }
    case .log(var reading):
      while let line = try await reading.next() {
        kind = .log(reading)
        if let to, let time = line.time?.string.flatMap(Timestamp.init), time > to { break }
        if workspace == "*" || line.workspace == workspace { return line }
      }
      reading.close()
      await log?.close()
      return nil
    }
  }

  /// A bound as a moment: a receipt means its record's time.
  static func time(_ bound: String?, in log: any EventLog) async throws -> Timestamp? {
    guard let bound else { return nil }
    guard let receipt = Receipt(bound) else { return Timestamp(bound) }
    let events = TopicPartition(Topic.events(receipt.service), receipt.partition)
    guard try await log.partitions(of: events.topic).map({ receipt.partition < $0 }) == true,
      let offset = try await log.offset(of: events, sequence: receipt.sequence)
    else { throw Failure.refused("there is no record \(receipt)") }
    let reader = try await log.reader(of: events, from: offset)
    defer { reader.close() }
    guard let record = try await reader.next(atMost: 1).first, let message = try? Message(record) else {
      throw Failure.refused("there is no record \(receipt)")
    }
    return message.time
  }
}
