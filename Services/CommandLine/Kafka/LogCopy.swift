import EventLog
import Messaging
import ServiceKit

/// Carries a whole history from one log to another that is empty: of each event partition the records that count, claims
/// included, in order, with headers and time; then `daybook.log.moved.v1`, behind which every fold begins the commands
/// at 0. Stopped in the middle, it goes on where it was: what is there already must be the beginning of the same.
struct LogCopy: Sendable {
  let source: any EventLog
  let target: any EventLog
  let partitionCount: Int
  /// As people name them, and the moved record keeps.
  let names: (from: String, to: String)

  /// What came of one partition.
  struct Report: Sendable, Equatable {
    let partition: ServicePartition
    /// How many records were carried over, and the digest over all of them, read back from the target.
    let records: Int
    let digest: String
  }

  private var partitions: [ServicePartition] {
    ServicePartition.all(ServiceContext.owners, partitionCount: partitionCount)
  }

  /// Throws before anything is written where a command is not decided, or where the target is not empty. `progress` is
  /// told of records, as they are read or written.
  func run(progress: (Int) -> Void) async throws -> [Report] {
    var histories: [ServicePartition: CountedHistory] = [:]
    for partition in partitions { histories[partition] = try await checkDecided(partition, progress) }
    try await prepareTarget()
    var reports: [Report] = []
    for partition in partitions {
      guard let history = histories[partition] else { continue }
      try await copy(partition, history, progress)
      reports.append(try await verify(partition, history, progress))
    }
    return reports
  }

  /// Reads a partition of the source to its end: what is to be carried over. Refuses where its commands are not all
  /// decided.
  private func checkDecided(_ partition: ServicePartition, _ progress: (Int) -> Void) async throws -> CountedHistory {
    var counted = CountedHistory()
    var history = try await HistoryToCopy(source, partition)
    while let records = try await history.next() {
      for record in records { counted.add(record) }
      progress(records.count)
    }
    counted.epoch = history.epoch
    let commands = TopicPartition(Topic.commands(partition.service), partition.partition)
    guard try await source.partitions(of: commands.topic) != nil else { return counted }
    let end = try await source.bounds(of: commands).upperBound
    guard history.commandPosition >= end else {
      throw Failure.refused(
        "\(partition) holds \(end - history.commandPosition) commands that are not decided; start Daybook, wait until "
          + "it is ready, stop it, and copy then")
    }
    return counted
  }

  /// Makes the topics. Refuses another number of partitions, and commands that are there.
  private func prepareTarget() async throws {
    let topics = ServiceContext.owners.flatMap { [Topic.commands($0), Topic.events($0)] }
    do {
      try await target.create(topics, partitions: partitionCount)
    } catch {
      guard case .partitionCount(let topic, let found, _) = error else { throw error }
      throw Failure.refused(
        "topic \(topic) there has \(found) partitions, and this log has \(partitionCount), which it keeps; remove the "
          + "topics there, or name another Kafka")
    }
    for partition in partitions {
      let commands = TopicPartition(Topic.commands(partition.service), partition.partition)
      guard try await target.bounds(of: commands).upperBound == 0 else {
        throw Failure.refused("\(commands) is not empty: the log there is in use already; name another Kafka")
      }
    }
  }

  private func copy(
    _ partition: ServicePartition, _ whole: CountedHistory, _ progress: (Int) -> Void
  ) async throws {
    let there = try await present(partition)
    if there.isMoved, there.counted.count == whole.count, there.counted.digest == whole.digest { return }
    let foreign = Failure.refused(
      "\(partition.events) there holds records of another history, not the beginning of this one; remove the topics "
        + "there, or name another Kafka")
    guard !there.isMoved, there.counted.count <= whole.count else { throw foreign }
    let writer = try await target.writer(to: partition.events)
    do {
      var counted = CountedHistory()
      var history = try await HistoryToCopy(source, partition)
      while let records = try await history.next() {
        var rest = records[...]
        while counted.count < there.counted.count, let record = rest.popFirst() {
          counted.add(record)
          if counted.count == there.counted.count, counted.digest != there.counted.digest { throw foreign }
        }
        if !rest.isEmpty { try await writer.append(Array(rest)) }
        progress(rest.count)
      }
      try await writer.append([moved(partition, epoch: whole.epoch).record])
    } catch {
      await writer.close()
      throw error
    }
    await writer.close()
  }

  private func moved(_ partition: ServicePartition, epoch: Int64) -> Message {
    let data: JSON = ["from": .string(names.from), "to": .string(names.to)]
    return Message(
      id: .next(), source: "/daybook/\(partition.service)", type: Message.Kind.moved, time: .now(), workspace: "",
      epoch: epoch, data: data.bytes)
  }

  /// What the target holds of a partition.
  private func present(_ partition: ServicePartition) async throws -> (counted: CountedHistory, isMoved: Bool) {
    var counted = CountedHistory()
    var isMoved = false
    let bounds = try await target.bounds(of: partition.events)
    guard bounds.upperBound > bounds.lowerBound else { return (counted, false) }
    let reader = try await target.reader(of: partition.events, from: bounds.lowerBound)
    defer { reader.close() }
    var next = bounds.lowerBound
    while next < bounds.upperBound {
      let records = try await reader.next(atMost: 1000)
      guard let last = records.last else { throw CancellationError() }
      next = last.offset + 1
      for record in records where record.offset < bounds.upperBound {
        guard !isMoved else {
          throw Failure.refused(
            "\(partition.events) there goes on behind an earlier copy: that log is in use; name another Kafka")
        }
        if (try? Message(record))?.type == Message.Kind.moved { isMoved = true } else { counted.add(NewRecord(record)) }
      }
    }
    return (counted, isMoved)
  }

  private func verify(
    _ partition: ServicePartition, _ whole: CountedHistory, _ progress: (Int) -> Void
  ) async throws -> Report {
    let (counted, isMoved) = try await present(partition)
    progress(counted.count)
    guard isMoved, counted.count == whole.count, counted.digest == whole.digest else {
      throw Failure.differs(
        "\(partition.events) reads back \(counted.count) records (digest \(Digest.hex(counted.digest))), but "
          + "\(whole.count) (digest \(Digest.hex(whole.digest))) were to be copied; do not start on it")
    }
    return Report(partition: partition, records: counted.count, digest: Digest.hex(counted.digest))
  }
}

/// How many records, and a digest over all of them in order: key, headers, value and time.
struct CountedHistory: Sendable {
  private(set) var count = 0
  private(set) var digest: [UInt8] = []
  /// The epoch that holds at the end.
  var epoch: Int64 = 0

  mutating func add(_ record: NewRecord) {
    var bytes = digest
    func add(_ part: [UInt8]?) {
      withUnsafeBytes(of: Int64(part?.count ?? -1).bigEndian) { bytes.append(contentsOf: $0) }
      bytes += part ?? []
    }
    add(record.key)
    for header in record.headers {
      add(Array(header.name.utf8))
      add(header.value)
    }
    add(record.value)
    add(Array("\(record.time?.milliseconds ?? 0)".utf8))
    digest = Digest.sha256(bytes)
    count += 1
  }
}

/// The records of an event partition that count, each once: valid claims and whole commands, as they stand in the log.
struct HistoryToCopy {
  private let reader: (any LogReader)?
  private let end: Int64
  private var next: Int64
  private var validity = Validity()
  /// Records of a command whose decision was not read yet.
  private var held: [Int64: NewRecord] = [:]
  private var lastSequence: Int64 = 0
  /// The data of the last record that ends a command.
  private var lastEnd: [UInt8]?

  /// Of a topic that is not there: empty.
  init(_ log: any EventLog, _ partition: ServicePartition) async throws(LogError) {
    guard try await log.partitions(of: partition.events.topic) != nil else {
      (reader, next, end) = (nil, 0, 0)
      return
    }
    let bounds = try await log.bounds(of: partition.events)
    reader = try await log.reader(of: partition.events, from: bounds.lowerBound)
    (next, end) = (bounds.lowerBound, bounds.upperBound)
  }

  /// The epoch that holds behind what was read.
  var epoch: Int64 { validity.epoch }

  /// The offset of the first command that is not decided.
  var commandPosition: Int64 {
    lastEnd.flatMap { try? JSON(parsing: $0)["offset"]?.integer }.map { $0 + 1 } ?? 0
  }

  /// Nil at the end.
  mutating func next() async throws -> [NewRecord]? {
    guard let reader, next < end else {
      reader?.close()
      return nil
    }
    let records = try await reader.next(atMost: 500)
    guard let last = records.last else { throw CancellationError() }
    next = last.offset + 1
    var out: [NewRecord] = []
    for record in records where record.offset < end { take(record, &out) }
    return out
  }

  private mutating func take(_ record: Record, _ out: inout [NewRecord]) {
    switch validity.feed(record) {
    case .void: break
    case .pending: held[record.offset] = NewRecord(record)
    case .moved:
      lastEnd = nil
    case .claim:
      held = [:]
      out.append(NewRecord(record))
    case .command(let command):
      held[record.offset] = NewRecord(record)
      for part in command where part.sequence == lastSequence + 1 {
        if let record = held[part.offset] { out.append(record) }
        lastSequence = part.sequence
      }
      held = [:]
      lastEnd = command.last?.message.data
    }
  }
}

extension NewRecord {
  /// The same record, to be carried over to another log.
  init(_ record: Record) {
    let sequence = record.headers.first { $0.name == "ce_sequence" }.flatMap {
      Int64(String(decoding: $0.value, as: UTF8.self))
    }
    self.init(
      key: record.key, headers: record.headers, value: record.value, sequence: sequence, time: record.time)
  }
}
