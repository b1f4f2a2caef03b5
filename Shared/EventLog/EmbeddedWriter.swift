/// The writer of one partition of the embedded log: once an append failed, every later one is refused.
final class EmbeddedWriter: LogWriter {
  private let log: EmbeddedLog
  private let partition: TopicPartition
  private let gate = Append.Gate()

  init(_ log: EmbeddedLog, _ partition: TopicPartition) {
    self.log = log
    self.partition = partition
  }

  nonisolated(nonsending) func append(_ records: [NewRecord]) async throws(LogError) -> [Int64] {
    if let why = gate.closed { throw .notAppended(why) }
    return try await log.append(records, to: partition, gate: gate)
  }

  func close() async { gate.close("the writer is closed") }
}
