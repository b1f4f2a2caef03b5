import Messaging
import SQLite

/// The appends of one transaction: given offsets and times, written, then published and acknowledged together.
struct Batch {
  /// Where a partition stands inside the transaction.
  struct Partition {
    let key: Int64
    var end: Int64
    var lastTime: Timestamp

    init(_ partition: LogIndex.Partition) {
      key = partition.key
      end = partition.end
      lastTime = partition.lastTime
    }
  }

  var appends: [Append] = []
  private var partitions: [Partition]
  private let now: Timestamp
  /// What each append became.
  private var written: [[Record]] = []

  init(partitions: [Partition], now: Timestamp) {
    self.partitions = partitions
    self.now = now
  }

  mutating func write(to file: LogFile) throws(LogError) {
    guard !appends.isEmpty else { return }
    written.reserveCapacity(appends.count)
    try file.transaction { file throws(SQLiteError) in
      for append in appends { try write(append, to: file) }
    }
  }

  private mutating func write(_ append: Append, to file: LogFile) throws(SQLiteError) {
    var partition = partitions[append.partition]
    partition.lastTime = max(now, partition.lastTime)
    var records: [Record] = []
    records.reserveCapacity(append.records.count)
    var start = 0
    for (new, end) in zip(append.records, append.ends) {
      try file.insert(
        partition: partition.key, offset: partition.end, time: partition.lastTime, new,
        headers: append.headers[start..<end])
      records.append(
        Record(
          offset: partition.end, time: partition.lastTime, key: new.key, headers: new.headers, value: new.value))
      partition.end += 1
      start = end
    }
    partitions[append.partition] = partition
    written.append(records)
  }

  /// After the commit: returns who waited.
  func publish(in index: inout LogIndex) -> [Waiter] {
    var waiters: [Waiter] = []
    for (append, records) in zip(appends, written) {
      waiters += index.publish(records, to: append.partition, size: append.size)
    }
    return waiters
  }

  func acknowledge() {
    for (append, records) in zip(appends, written) { append.done.resume(returning: .success(records.map(\.offset))) }
  }
}
