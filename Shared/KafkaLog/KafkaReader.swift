import EventLog
import Synchronization

/// A reader of one partition. One call of `next` at a time.
final class KafkaReader: LogReader {
  private let log: KafkaLog
  private let feed: Feed
  private let position: Mutex<Int64>

  init(_ log: KafkaLog, _ feed: Feed, from offset: Int64) {
    self.log = log
    self.feed = feed
    position = Mutex(offset)
  }

  deinit { feed.close() }

  nonisolated(nonsending) func next(atMost limit: Int) async throws(LogError) -> [Record] {
    while !Task.isCancelled, !feed.isClosed {
      let waiter = Waiter()
      feed.wakeNext(waiter)
      switch feed.take(atMost: max(1, limit)) {
      case .records(let records):
        if let last = records.last { position.withLock { $0 = last.offset + 1 } }
        return records
      case .nothingYet: await waiter.wait()
      case .failure(.error(let error)): throw error
      case .failure(.outOfRange):
        let offset = position.withLock { $0 }
        throw .outOfRange(feed.partition, offset: offset, available: try await log.bounds(of: feed.partition))
      }
    }
    return []
  }

  func close() { feed.close() }
}
