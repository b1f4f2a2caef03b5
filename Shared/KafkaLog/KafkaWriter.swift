import EventLog

/// The writer of one partition, on a client of its own: once an append failed, every later one is refused.
final class KafkaWriter: LogWriter {
  private let producer: Producer
  private let partition: TopicPartition
  private let log: KafkaLog

  init(_ log: KafkaLog, _ producer: Producer, _ partition: TopicPartition) {
    self.log = log
    self.producer = producer
    self.partition = partition
  }

  deinit { Task.detached { [log, producer] in await log.closeWriter(producer) } }

  nonisolated(nonsending) func append(_ records: [NewRecord]) async throws(LogError) -> [Int64] {
    try await withCheckedContinuation { continuation in
      producer.submit(records, to: partition) { continuation.resume(returning: $0) }
    }.get()
  }

  func close() async { await log.closeWriter(producer) }
}
