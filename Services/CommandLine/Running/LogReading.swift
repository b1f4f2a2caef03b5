import EventLog
import Messaging
import ServiceKit

/// The valid records of a stopped log, in the order of replay: by time, service, partition, sequence.
struct LogReading {
  private var lanes: [Lane] = []

  /// One partition: its records that are read and not yet told.
  private struct Lane {
    let partition: ServicePartition
    let reader: any LogReader
    let end: Int64
    var next: Int64
    var validity = Validity()
    var waiting: ArraySlice<ValidRecord> = []
  }

  init(_ log: any EventLog, partitionCount: Int) async throws {
    for partition in ServicePartition.all(ServiceContext.owners, partitionCount: partitionCount) {
      guard try await log.partitions(of: partition.events.topic) != nil else { continue }
      let bounds = try await log.bounds(of: partition.events)
      lanes.append(
        Lane(
          partition: partition, reader: try await log.reader(of: partition.events, from: bounds.lowerBound),
          end: bounds.upperBound, next: bounds.lowerBound))
    }
  }

  /// Nil at the end.
  mutating func next() async throws -> EventLine? {
    for index in lanes.indices { try await LogReading.fill(&lanes[index]) }
    let first = lanes.indices.filter { !lanes[$0].waiting.isEmpty }.min { place(of: $0) < place(of: $1) }
    guard let first, let record = lanes[first].waiting.popFirst() else { return nil }
    return EventLine(record, lanes[first].partition)
  }

  func close() { for lane in lanes { lane.reader.close() } }

  /// Behind the end: hands over what comes, as it comes, until the log is closed or the task is cancelled.
  mutating func follow(_ body: (EventLine) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: (Int, [Record]).self) { group in
      for (index, lane) in lanes.enumerated() {
        let reader = lane.reader
        group.addTask { (index, try await reader.next(atMost: 200)) }
      }
      while let (index, records) = try await group.next(), !records.isEmpty {
        for record in records where record.offset >= lanes[index].next {
          lanes[index].next = record.offset + 1
          guard case .command(let whole) = lanes[index].validity.feed(record) else { continue }
          for valid in whole { try body(EventLine(valid, lanes[index].partition)) }
        }
        let reader = lanes[index].reader
        group.addTask { (index, try await reader.next(atMost: 200)) }
      }
      group.cancelAll()
    }
  }

  private static func fill(_ lane: inout Lane) async throws {
    while lane.waiting.isEmpty, lane.next < lane.end {
      let records = try await lane.reader.next(atMost: 1000)
      guard let last = records.last else { return }
      lane.next = last.offset + 1
      // What came while it was read is told as well.
      for record in records {
        if case .command(let whole) = lane.validity.feed(record) { lane.waiting += whole }
      }
    }
  }

  private func place(of index: Int) -> Place {
    let record = lanes[index].waiting.first
    return Place(
      time: record?.message.time ?? Timestamp(milliseconds: .max), partition: lanes[index].partition,
      sequence: record?.sequence ?? .max)
  }

  private struct Place: Comparable {
    let time: Timestamp
    let partition: ServicePartition
    let sequence: Int64
    static func < (a: Place, b: Place) -> Bool {
      (a.time, a.partition, a.sequence) < (b.time, b.partition, b.sequence)
    }
  }
}

extension EventLine {
  /// A record of the log, as the history tells it.
  init(_ record: ValidRecord, _ partition: ServicePartition) {
    let message = record.message
    self.init(
      json: [
        "receipt": .string(partition.receipt(record.sequence).description), "id": JSON(message.id),
        "type": .string(message.type), "time": JSON(message.time), "workspace": .string(message.workspace),
        "subject": JSON(message.subject), "actor": JSON(message.actor), "command": JSON(message.causationID),
        "correlation": JSON(message.correlationID), "data": API.json(message.data),
      ])
  }

  /// The record again: what a log of its own is filled with.
  func message(epoch: Int64) -> Message? {
    guard let receipt = Receipt(receipt), let id = json["id"]?.string.flatMap(MessageID.init),
      let time = time?.string.flatMap(Timestamp.init)
    else { return nil }
    return Message(
      id: id, source: "/daybook/\(receipt.service)", type: type, subject: subject, time: time, workspace: workspace,
      actor: actor, correlationID: json["correlation"]?.string,
      causationID: json["command"]?.string.flatMap(MessageID.init), sequence: receipt.sequence, epoch: epoch,
      data: data.bytes)
  }
}
