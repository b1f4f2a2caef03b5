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
      switch feed.take(atMost: max(1, min(limit, Self.few))) {
      case .records(var records):
        if records.count == Self.few, limit > Self.few { records += await rest(atMost: limit - Self.few) }
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

  /// Up to so many records are copied where the caller stands: the way to another thread costs more.
  private static let few = 16

  /// What else is there, copied beside the caller's thread. What ends the feed is told by the next call.
  private func rest(atMost limit: Int) async -> [Record] {
    await withTaskExecutorPreference(globalConcurrentExecutor) { [feed] in
      if case .records(let records) = feed.take(atMost: limit) { records } else { [] }
    }
  }

  func close() { feed.close() }
}
