import EventLog
import Messaging
import Testing

extension EventLogConformance {
  static let finding: [EventLogConformance] = [
    EventLogConformance("bounds are the first offset and the next one") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        #expect(try await log.bounds(of: partition) == 0..<0)
        let offsets = try await log.append([record("a"), record("b"), record("c")], to: partition)
        let bounds = try await log.bounds(of: partition)
        #expect(bounds.lowerBound == offsets[0])
        #expect(bounds.upperBound > offsets[2])
        #expect(try await log.bounds(of: TopicPartition(partition.topic, 0)) == 0..<0)
      }
    },
    EventLogConformance("by time: the first record at or after it, the end where there is none") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        #expect(try await log.offset(of: partition, at: .now()) == 0)
        for number in 0..<30 { try await log.append([record("\(number)")], to: partition) }
        let records = try await log.reader(of: partition, from: 0).read(30)
        let end = try await log.bounds(of: partition).upperBound
        for record in records {
          let first = records.first { $0.time >= record.time }?.offset
          #expect(try await log.offset(of: partition, at: record.time) == first)
        }
        let first = records[0]
        let last = records[29]
        #expect(try await log.offset(of: partition, at: Timestamp(milliseconds: 0)) == first.offset)
        #expect(
          try await log.offset(of: partition, at: Timestamp(milliseconds: last.time.milliseconds + 1)) == end)
      }
    },
    EventLogConformance("by sequence: the first record that carries it, nil where none does") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let offsets = try await log.append(
          [
            record("command"), record("claim"), record("one", sequence: 1), record("two, void", sequence: 2),
            record("claim"), record("two", sequence: 2), record("three", sequence: 3),
          ], to: partition)
        #expect(try await log.offset(of: partition, sequence: 1) == offsets[2])
        #expect(try await log.offset(of: partition, sequence: 2) == offsets[3])
        #expect(try await log.offset(of: partition, sequence: 3) == offsets[6])
        #expect(try await log.offset(of: partition, sequence: 4) == nil)
        #expect(try await log.offset(of: TopicPartition(partition.topic, 0), sequence: 1) == nil)
      }
    },
  ]
}
