import Messaging
import TestSupport
import Testing

@testable import EventLog

/// The newest records in memory: bounded, and never with a gap.
struct TailTests {
  private func index(limit: Int) -> LogIndex {
    var index = LogIndex(tailLimit: limit)
    index.add(
      topic: "t",
      partitions: (0..<2).map {
        LogIndex.Partition(
          key: Int64($0), name: TopicPartition("t", $0), first: 0, end: 0, lastTime: Timestamp(milliseconds: 0))
      })
    return index
  }

  private func records(_ offsets: Range<Int64>) -> [Record] {
    offsets.map {
      Record(offset: $0, time: Timestamp(milliseconds: 0), key: nil, headers: [], value: Array("\($0)".utf8))
    }
  }

  private func tail(_ index: LogIndex, _ partition: Int, from offset: Int64, limit: Int = 100) -> [Int64]? {
    index.partitions[partition].tail
      .records(from: offset, end: index.partitions[partition].end, limit: limit, bytes: .max)?.map(\.offset)
  }

  @Test func `the oldest go first, whichever partition they are of`() {
    var index = index(limit: 30)
    for start: Int64 in [0, 2, 4] {
      _ = index.publish(records(start..<start + 2), to: 0, size: 10)
      _ = index.publish(records(start..<start + 2), to: 1, size: 10)
    }
    #expect(tail(index, 0, from: 3) == nil)
    #expect(tail(index, 0, from: 4) == [4, 5])
    #expect(tail(index, 1, from: 1) == nil)
    #expect(tail(index, 1, from: 2) == [2, 3, 4, 5])
    #expect(tail(index, 1, from: 3, limit: 2) == [3, 4])
  }

  @Test func `of a commit larger than the bound the newest stay; a bound of nothing keeps nothing`() {
    var index = index(limit: 5)
    _ = index.publish(records(0..<3), to: 0, size: 9)
    #expect(tail(index, 0, from: 1) == nil)
    #expect(tail(index, 0, from: 2) == [2])
    _ = index.publish(records(3..<4), to: 0, size: 5)
    #expect(tail(index, 0, from: 3) == [3])
    #expect(tail(index, 0, from: 2) == nil)
    index = self.index(limit: 0)
    _ = index.publish(records(0..<3), to: 0, size: 9)
    #expect(index.partitions[0].tail.count == 0)
    #expect(index.partitions[0].end == 3)
  }

  @Test func `it stays bounded and right over many appends`() {
    var index = index(limit: 1000)
    for offset: Int64 in 0..<10_000 {
      _ = index.publish(records(offset..<offset + 1), to: Int(offset % 7 == 0 ? 1 : 0), size: 10)
    }
    #expect(index.partitions.map(\.tail.count).reduce(0, +) == 100)
  }

  @Test func `bytes bound what one call returns, but it is at least one record`() {
    var index = index(limit: 100_000)
    _ = index.publish(records(0..<10), to: 0, size: 1000)
    let tail = index.partitions[0].tail
    #expect(tail.records(from: 0, end: 10, limit: 10, bytes: 1)?.count == 1)
    #expect(tail.records(from: 0, end: 10, limit: 10, bytes: 1200)?.count == 3)
  }
}
