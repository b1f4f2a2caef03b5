import Messaging
import SQLite

/// The appends of one transaction: given offsets and times, written, then published and acknowledged together.
struct Batch {
  /// Where a partition stands inside the transaction, and what the transaction adds to it.
  struct Partition {
    let key: Int64
    var end: Int64
    var lastTime: Timestamp
    var added: [Record] = []
    /// About what `added` takes in memory.
    var size = 0

    init(_ partition: LogIndex.Partition) {
      key = partition.key
      end = partition.end
      lastTime = partition.lastTime
    }
  }

  var appends: [Append] = []
  private var partitions: [Partition]
  private let now: Timestamp
  /// The first offset of each append.
  private var offsets: [Int64] = []

  init(partitions: [Partition], now: Timestamp) {
    self.partitions = partitions
    self.now = now
  }

  mutating func write(to file: LogFile) throws(LogError) {
    guard !appends.isEmpty else { return }
    offsets.reserveCapacity(appends.count)
    try file.transaction { file throws(SQLiteError) in
      for append in appends {
        offsets.append(partitions[append.partition].end)
        try partitions[append.partition].write(append, now, to: file)
      }
    }
  }

  /// After the commit: makes the records readable and returns who waited for them.
  func publish(in index: inout LogIndex) -> [Waiter] {
    var waiters: [Waiter] = []
    for (number, partition) in partitions.enumerated() where !partition.added.isEmpty {
      waiters += index.publish(partition.added, to: number, size: partition.size)
    }
    return waiters
  }

  func acknowledge() {
    for (append, first) in zip(appends, offsets) {
      append.done(.success(Array(first..<first + Int64(append.records.count))))
    }
  }
}

extension Batch.Partition {
  fileprivate mutating func write(_ append: Append, _ now: Timestamp, to file: LogFile) throws(SQLiteError) {
    size += append.size
    try append.headers.withUnsafeBytes { headers in
      Result { () throws(SQLiteError) in
        var start = 0
        for (new, stop) in zip(append.records, append.ends) {
          lastTime = max(new.time ?? now, lastTime)
          try file.insert(
            partition: key, offset: end, time: lastTime, new,
            headers: UnsafeRawBufferPointer(rebasing: headers[start..<stop]))
          added.append(Record(offset: end, time: lastTime, key: new.key, headers: new.headers, value: new.value))
          end += 1
          start = stop
        }
      }
    }.get()
  }
}
