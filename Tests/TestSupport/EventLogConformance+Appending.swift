import EventLog
import Messaging
import Testing

extension EventLogConformance {
  static let appending: [EventLogConformance] = [
    EventLogConformance("records are read in the order of their appends, at the offsets that the appends returned") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        var offsets = try await log.append([record("a"), record("b")], to: partition)
        offsets += try await log.append([record("c")], to: partition)
        let records = try await log.reader(of: partition, from: 0).read(3)
        #expect(records.map(\.text) == ["a", "b", "c"])
        #expect(records.map(\.offset) == offsets)
        #expect(offsets == offsets.sorted() && Set(offsets).count == 3)
      }
    },
    EventLogConformance("an append of nothing returns nothing") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        #expect(try await log.append([], to: partition) == [])
        #expect(try await log.bounds(of: partition) == 0..<0)
      }
    },
    EventLogConformance("keys, headers and values come back byte for byte") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let written = [
          NewRecord(key: nil, headers: [], value: nil),
          NewRecord(key: [], headers: [], value: []),
          NewRecord(key: [0, 255], headers: [Header("empty", [])], value: Array(0...255)),
          NewRecord(
            key: Array("main".utf8),
            headers: [
              Header("same", "1"), Header("same", "2"), Header("other", [0, 0xff, 0x80]), Header("same", "1"),
              Header("größe", String(repeating: "x", count: 300)),
            ], value: Array("Ä\0ü".utf8)),
        ]
        try await log.append(written, to: partition)
        let read = try await log.reader(of: partition, from: 0).read(written.count)
        #expect(read.map(\.key) == written.map(\.key))
        #expect(read.map(\.headers) == written.map(\.headers))
        #expect(read.map(\.value) == written.map(\.value))
      }
    },
    EventLogConformance("a record of 900 KiB comes back whole") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let value = (0..<900 * 1024).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await log.append([NewRecord(key: nil, headers: [], value: value), record("behind")], to: partition)
        let read = try await log.reader(of: partition, from: 0).read(2)
        #expect(read.first?.value == value)
        #expect(read.last?.text == "behind")
      }
    },
    EventLogConformance("partitions have their own records and offsets") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let other = TopicPartition(partition.topic, 0)
        try await log.append([record("a")], to: partition)
        try await log.append([record("x"), record("y")], to: other)
        #expect(try await log.reader(of: partition, from: 0).read(1).map(\.text) == ["a"])
        #expect(try await log.reader(of: other, from: 0).read(2).map(\.text) == ["x", "y"])
      }
    },
    EventLogConformance("concurrent appends keep each append's records together and in order") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let appends = 50
        let each = 20
        let offsets = try await withThrowingTaskGroup(of: [Int64].self) { group in
          for append in 0..<appends {
            group.addTask {
              try await log.append((0..<each).map { record("\(append)/\($0)") }, to: partition)
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(offsets.joined()).count == appends * each)
        let texts = try await log.reader(of: partition, from: 0).read(appends * each).map { $0.text ?? "" }
        #expect(texts.count == appends * each)
        for start in stride(from: 0, to: texts.count, by: each) {
          let append = texts[start].split(separator: "/").first ?? ""
          #expect(Array(texts[start..<start + each]) == (0..<each).map { "\(append)/\($0)" })
        }
      }
    },
    EventLogConformance("a writer appends in order; after close it is refused, and the log goes on") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let writer = try await log.writer(to: partition)
        let first = try await writer.append([record("a", sequence: 1), record("b", sequence: 2)])
        let second = try await writer.append([record("c", sequence: 3)])
        #expect(first + second == (first + second).sorted())
        await writer.close()
        await #expect(throws: LogError.self) { try await writer.append([record("late")]) }
        try await log.append([record("d")], to: partition)
        #expect(try await log.reader(of: partition, from: 0).read(4).map(\.text) == ["a", "b", "c", "d"])
      }
    },
    EventLogConformance("two owners' writers both reach the partition: the log does not choose between them") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let old = try await log.writer(to: partition)
        try await old.append([record("old claim")])
        let new = try await log.writer(to: partition)
        try await new.append([record("new claim")])
        // A fenced owner's late record may be refused or land; what landed is behind the new claim.
        let landed = (try? await old.append([record("late")])) != nil
        try await new.append([record("counts")])
        let expected = landed ? ["old claim", "new claim", "late", "counts"] : ["old claim", "new claim", "counts"]
        #expect(try await log.reader(of: partition, from: 0).read(expected.count).map(\.text) == expected)
        await old.close()
        await new.close()
      }
    },
    EventLogConformance("what was appended is there when the log is opened again, and offsets go on") {
      (fixture) async throws in
      guard fixture.isDurable else { return }
      let topic = TopicPartition(EventLogFixture.freshTopic(), 0)
      let first = try await fixture.open()
      try await first.create([topic.topic], partitions: 1)
      let before = try await first.append([record("a"), record("b", sequence: 2)], to: topic)
      let times = try await first.reader(of: topic, from: 0).read(2).map(\.time)
      await first.close()
      let second = try await fixture.open()
      #expect(try await second.partitions(of: topic.topic) == 1)
      let after = try await second.append([record("c")], to: topic)
      #expect((after.first ?? 0) > (before.last ?? .max))
      let read = try await second.reader(of: topic, from: 0).read(3)
      #expect(read.map(\.text) == ["a", "b", "c"])
      #expect(read.map(\.offset) == before + after)
      #expect(read.prefix(2).map(\.time) == times)
      #expect(try await second.offset(of: topic, sequence: 2) == before[1])
      await second.close()
    },
  ]
}
