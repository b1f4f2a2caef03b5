package import EventLog
package import Messaging

/// A log whose writers do what a test says: fail, wait, or land only in part.
package final class ScriptedLog: EventLog {
  /// Called instead of a writer's append; calls `write` to append for real.
  package typealias Append =
    @Sendable (_ records: [NewRecord], _ write: @Sendable ([NewRecord]) async throws(LogError) -> [Int64])
    async throws(LogError) -> [Int64]

  private let real: any EventLog
  private let append: Append
  private let whenClosed: @Sendable () -> Void

  /// `whenClosed` is called when a writer is closed.
  package init(_ real: any EventLog, whenClosed: @escaping @Sendable () -> Void = {}, append: @escaping Append) {
    self.real = real
    self.append = append
    self.whenClosed = whenClosed
  }

  package var id: String { real.id }
  package func create(_ topics: [String], partitions: Int) async throws(LogError) {
    try await real.create(topics, partitions: partitions)
  }
  package func partitions(of topic: String) async throws(LogError) -> Int? { try await real.partitions(of: topic) }
  package func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await real.append(records, to: partition)
  }
  package func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    Writer(real: try await real.writer(to: partition), append: append, whenClosed: whenClosed)
  }
  package func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    try await real.reader(of: partition, from: offset)
  }
  package func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try await real.bounds(of: partition)
  }
  package func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    try await real.offset(of: partition, at: time)
  }
  package func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    try await real.offset(of: partition, sequence: sequence)
  }
  package func close() async { await real.close() }

  private struct Writer: LogWriter {
    let real: any LogWriter
    let append: Append
    let whenClosed: @Sendable () -> Void

    func append(_ records: [NewRecord]) async throws(LogError) -> [Int64] {
      try await append(records) { (records) async throws(LogError) in try await real.append(records) }
    }
    func close() async {
      await real.close()
      whenClosed()
    }
  }
}
