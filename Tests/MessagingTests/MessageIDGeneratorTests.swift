import Testing

@testable import Messaging

struct MessageIDGeneratorTests {
  @Test func `ids rise while the clock stands still, goes back and jumps`() {
    var generator = MessageIDGenerator()
    var last = MessageID(high: 0, low: 0)
    let times = [1000] + Array(repeating: 1000, count: 5000) + [500, 0, -5, 999, 1000, 1001, 3_600_000, 10] as [Int64]
    for time in times {
      let next = generator.next(now: time)
      #expect(next > last)
      #expect(next.high >> 12 & 0xf == 7)
      #expect(next.low >> 62 == 0b10)
      last = next
    }
  }

  @Test func `an id holds its millisecond`() {
    var generator = MessageIDGenerator()
    #expect(generator.next(now: 1_779_697_800_000).high >> 16 == 1_779_697_800_000)
  }

  @Test func `ids of two processes in one millisecond differ`() {
    var one = MessageIDGenerator()
    var other = MessageIDGenerator()
    var seen: Set<MessageID> = []
    for _ in 0..<1000 {
      seen.insert(one.next(now: 5))
      seen.insert(other.next(now: 5))
    }
    #expect(seen.count == 2000)
  }

  @Test func `ids are ordered by their bytes, and so are their texts`() {
    let ids = [
      MessageID(high: 0, low: 1), MessageID(high: 1, low: 0), MessageID(high: 1, low: .max),
      MessageID(high: .max, low: 0),
    ]
    #expect(ids.shuffled().sorted() == ids)
    #expect(ids.map(\.description).sorted() == ids.map(\.description))
    for id in ids { #expect(MessageID(id.description) == id) }
  }
}
