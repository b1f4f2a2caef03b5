import EventLog
import Messaging
import Testing

extension EventLogConformance {
  static let topics: [EventLogConformance] = [
    EventLogConformance("a log has one id, the same each time it is opened") { (fixture) async throws in
      let first = try await fixture.open()
      let id = first.id
      await first.close()
      #expect(!id.isEmpty)
      guard fixture.isDurable else { return }
      let second = try await fixture.open()
      #expect(second.id == id)
      await second.close()
    },
    EventLogConformance("topics are made once, with their partitions, and making them again changes nothing") {
      (fixture) async throws in
      let log = try await fixture.open()
      let names = [EventLogFixture.freshTopic(), EventLogFixture.freshTopic()]
      #expect(try await log.partitions(of: names[0]) == nil)
      try await log.create(names, partitions: 3)
      try await log.create(names + names, partitions: 3)
      #expect(try await log.partitions(of: names[0]) == 3)
      #expect(try await log.partitions(of: names[1]) == 3)
      await log.close()
    },
    EventLogConformance("another partition count is refused with both numbers, and nothing is made") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let new = EventLogFixture.freshTopic()
        await #expect(throws: LogError.partitionCount(topic: partition.topic, found: 2, wanted: 7)) {
          try await log.create([new, partition.topic], partitions: 7)
        }
        #expect(try await log.partitions(of: new) == nil)
        #expect(try await log.partitions(of: partition.topic) == 2)
      }
    },
    EventLogConformance("every call says that a topic is unknown") { (fixture) async throws in
      try await fixture.with { (log, _) async throws in
        let nowhere = TopicPartition(EventLogFixture.freshTopic(), 0)
        let refusal = LogError.unknownTopic(nowhere.topic)
        #expect(try await log.partitions(of: nowhere.topic) == nil)
        await #expect(throws: refusal) { try await log.append([record("a")], to: nowhere) }
        await #expect(throws: refusal) { _ = try await log.writer(to: nowhere) }
        await #expect(throws: refusal) { _ = try await log.reader(of: nowhere, from: 0) }
        await #expect(throws: refusal) { try await log.bounds(of: nowhere) }
        await #expect(throws: refusal) { try await log.offset(of: nowhere, at: .now()) }
        await #expect(throws: refusal) { try await log.offset(of: nowhere, sequence: 1) }
      }
    },
    EventLogConformance("a partition that the topic does not have is unknown") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        for number in [-1, 2] {
          let nowhere = TopicPartition(partition.topic, number)
          await #expect(throws: LogError.unknownTopic(nowhere.description)) {
            try await log.append([record("a")], to: nowhere)
          }
          await #expect(throws: LogError.unknownTopic(nowhere.description)) {
            _ = try await log.reader(of: nowhere, from: 0)
          }
        }
      }
    },
  ]
}
