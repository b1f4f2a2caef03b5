import Messaging
import Synchronization

/// A reader of one partition of the embedded log. One call of `next` at a time.
final class EmbeddedReader: LogReader {
  private struct State {
    var offset: Int64
    var waiter: Waiter?
    var isClosed = false
  }

  /// About the most bytes that one call returns, so that large records do not pile up in memory.
  private static let most = 4 << 20

  private let log: EmbeddedLog
  private let partition: Int
  private let state: Mutex<State>

  init(_ log: EmbeddedLog, _ partition: Int, from offset: Int64) {
    self.log = log
    self.partition = partition
    state = Mutex(State(offset: offset))
  }

  /// What there is at the reader's place.
  private enum Found {
    case records([Record])
    /// In the file, below this offset.
    case stored(key: Int64, end: Int64)
    case nothingYet
    case closed
  }

  nonisolated(nonsending) func next(atMost limit: Int) async throws(LogError) -> [Record] {
    let limit = max(1, limit)
    while !Task.isCancelled {
      let waiter = Waiter()
      let (offset, isClosed) = state.withLock { state in
        state.waiter = waiter
        return (state.offset, state.isClosed)
      }
      guard !isClosed else { return [] }
      switch look(offset, limit, waiter) {
      case .closed: return []
      case .records(let records): return advanced(records)
      case .stored(let key, let end):
        let records = try await stored(key, offset..<end, limit)
        return advanced(records)
      case .nothingYet:
        await waiter.wait()
        log.state.withLock { $0.index.partitions[partition].waiters[ObjectIdentifier(waiter)] = nil }
      }
    }
    return []
  }

  private func look(_ offset: Int64, _ limit: Int, _ waiter: Waiter) -> Found {
    log.state.withLock { state in
      guard !state.isClosed else { return .closed }
      let end = state.index.partitions[partition].end
      guard offset < end else {
        state.index.partitions[partition].waiters[ObjectIdentifier(waiter)] = waiter
        return .nothingYet
      }
      let tail = state.index.partitions[partition].tail
      if let records = tail.records(from: offset, end: end, limit: limit, bytes: Self.most) {
        return .records(records)
      }
      return .stored(key: state.index.partitions[partition].key, end: end)
    }
  }

  private nonisolated(nonsending) func stored(_ key: Int64, _ range: Range<Int64>, _ limit: Int) async throws(LogError)
    -> [Record]
  {
    let name = log.state.withLock { $0.index.partitions[partition].name }
    do {
      return try await log.read { db in
        var records: [Record] = []
        var size = 0
        try db.statement(
          """
          SELECT offset, time, key, headers, value FROM record
          WHERE partition = ? AND offset >= ? AND offset < ? ORDER BY offset LIMIT ?
          """
        ).forEach(while: { size < Self.most }, key, range.lowerBound, range.upperBound, limit) { row in
          guard let headers = row.withBytes(3, HeaderCoding.decode) else {
            throw LogError.failed("record \(row.int64(0)) of \(name) is damaged; restore the log from a copy")
          }
          let value = row.bytesOrNil(4)
          size += (value?.count ?? 0) + 512
          records.append(
            Record(
              offset: row.int64(0), time: Timestamp(milliseconds: row.int64(1)), key: row.bytesOrNil(2),
              headers: headers, value: value))
        }
        guard !records.isEmpty else {
          throw LogError.failed("records of \(name) from \(range.lowerBound) on are missing; restore the log")
        }
        return records
      }
    } catch {
      // A log that closes ends its readers quietly.
      if log.state.withLock({ $0.isClosed }) { return [] }
      throw error
    }
  }

  private func advanced(_ records: [Record]) -> [Record] {
    state.withLock { state in
      guard !state.isClosed else { return [] }
      if let last = records.last { state.offset = last.offset + 1 }
      return records
    }
  }

  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.wake()
  }
}
