import Messaging

/// What the embedded log knows in memory: its topics, each partition's bounds, who waits, and the newest records. A
/// value; `EmbeddedLog` keeps it under one lock and nothing in here blocks.
struct LogIndex {
  /// One partition of one topic.
  struct Partition {
    /// Its number in the file.
    let key: Int64
    let name: TopicPartition
    /// The offset of the first record; `end` where there is none.
    var first: Int64
    /// The offset that the next record gets. Everything below it is durable.
    var end: Int64
    /// The time of the last record.
    var lastTime: Timestamp
    /// Who waits for the next record.
    var waiters: [ObjectIdentifier: Waiter] = [:]
    var tail = Tail()
  }

  /// The newest records of a partition, without a gap up to its end.
  struct Tail {
    private var records: [Record] = []
    /// Records in front of this index are dropped already.
    private var head = 0

    var count: Int { records.count - head }

    mutating func append(_ new: [Record]) { records.append(contentsOf: new) }

    mutating func drop(_ count: Int) {
      head += count
      // Moving the rest costs no more than the drops before it did.
      guard head * 2 >= records.count else { return }
      records.removeFirst(head)
      head = 0
    }

    /// The records from an offset on, at most `limit` and `bytes`, at least one; nil where the tail begins behind it.
    func records(from offset: Int64, end: Int64, limit: Int, bytes: Int) -> [Record]? {
      let back = Int(end - offset)
      guard back > 0, back <= count else { return nil }
      let start = records.count - back
      var stop = start
      var size = 0
      while stop < records.count, stop - start < limit, size < bytes {
        size += (records[stop].value?.count ?? 0) + 512
        stop += 1
      }
      return Array(records[start..<stop])
    }
  }

  /// How many partitions a topic has, and the index of its first one; they follow each other.
  struct Topic {
    let first: Int
    let count: Int
  }

  private(set) var topics: [String: Topic] = [:]
  var partitions: [Partition] = []
  /// The bound of all tails together, in bytes of memory.
  private let tailLimit: Int
  private var tailSize = 0
  /// What was put into the tails, oldest first.
  private var order: [(partition: Int, count: Int, size: Int)] = []
  private var orderHead = 0

  init(tailLimit: Int) { self.tailLimit = tailLimit }

  mutating func add(topic: String, partitions added: [Partition]) {
    topics[topic] = Topic(first: partitions.count, count: added.count)
    partitions.append(contentsOf: added)
  }

  func index(of partition: TopicPartition) throws(LogError) -> Int {
    guard let topic = topics[partition.topic], (0..<topic.count).contains(partition.partition) else {
      throw .unknownTopic(topics[partition.topic] == nil ? partition.topic : partition.description)
    }
    return topic.first + partition.partition
  }

  /// Makes durable records readable; returns who waited for them.
  mutating func publish(_ records: [Record], to partition: Int, size: Int) -> [Waiter] {
    guard let last = records.last else { return [] }
    partitions[partition].end = last.offset + 1
    partitions[partition].lastTime = last.time
    partitions[partition].tail.append(records)
    order.append((partition, records.count, size))
    tailSize += size
    trim()
    defer { partitions[partition].waiters = [:] }
    return Array(partitions[partition].waiters.values)
  }

  /// Drops the oldest records until the tails are within their bound, taking a commit's records as equally large.
  private mutating func trim() {
    while tailSize > tailLimit, orderHead < order.count {
      let oldest = order[orderHead]
      let each = max(1, oldest.size / oldest.count)
      let dropped = min(oldest.count, (tailSize - tailLimit + each - 1) / each)
      partitions[oldest.partition].tail.drop(dropped)
      if dropped == oldest.count {
        tailSize -= oldest.size
        orderHead += 1
      } else {
        tailSize -= dropped * each
        order[orderHead] = (oldest.partition, oldest.count - dropped, oldest.size - dropped * each)
      }
    }
    guard orderHead * 2 >= order.count else { return }
    order.removeFirst(orderHead)
    orderHead = 0
  }
}
