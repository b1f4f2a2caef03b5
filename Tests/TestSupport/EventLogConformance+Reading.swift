import EventLog
import Messaging
import Testing

extension EventLogConformance {
  static let reading: [EventLogConformance] = [
    EventLogConformance("a reader takes at most what it asks for, and never waits to fill") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        try await log.append((0..<5).map { record("\($0)") }, to: partition)
        let reader = try await log.reader(of: partition, from: 0)
        let first = try await reader.next(atMost: 2)
        #expect((1...2).contains(first.count))
        let rest = try await reader.read(5 - first.count)
        #expect((first + rest).map(\.text) == ["0", "1", "2", "3", "4"])
      }
    },
    EventLogConformance("a reader starts in the middle, and at the end") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let offsets = try await log.append((0..<10).map { record("\($0)") }, to: partition)
        let middle = try await log.reader(of: partition, from: offsets[6])
        #expect(try await middle.read(4).map(\.text) == ["6", "7", "8", "9"])
        let end = try await log.reader(of: partition, from: try await log.bounds(of: partition).upperBound)
        try await log.append([record("new")], to: partition)
        #expect(try await end.read(1).map(\.text) == ["new"])
      }
    },
    EventLogConformance("a waiting reader is woken by the next record") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let reader = try await log.reader(of: partition, from: 0)
        for round in 0..<20 {
          async let next = reader.next(atMost: 10)
          try await log.append([record("\(round)")], to: partition)
          #expect(try await next.map(\.text) == ["\(round)"])
        }
      }
    },
    EventLogConformance("a reader waits through other partitions' records") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let reader = try await log.reader(of: partition, from: 0)
        async let next = reader.next(atMost: 10)
        try await log.append([record("other")], to: TopicPartition(partition.topic, 0))
        try await log.append([record("own")], to: partition)
        #expect(try await next.map(\.text) == ["own"])
      }
    },
    EventLogConformance("several readers each get everything, in order, while appends go on") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let count = 500
        try await withThrowingTaskGroup(of: [String?].self) { group in
          for limit in [1, 7, 1000] {
            let reader = try await log.reader(of: partition, from: 0)
            group.addTask { try await reader.read(count, atMost: limit).map(\.text) }
          }
          for start in stride(from: 0, to: count, by: 5) {
            try await log.append((start..<start + 5).map { record("\($0)") }, to: partition)
          }
          for try await texts in group { #expect(texts == (0..<count).map { "\($0)" }) }
        }
      }
    },
    EventLogConformance("a cancelled wait returns nothing, and the reader goes on afterwards") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let reader = try await log.reader(of: partition, from: 0)
        let waiting = Task { try await reader.next(atMost: 10) }
        waiting.cancel()
        #expect(try await waiting.value.isEmpty)
        try await log.append([record("a")], to: partition)
        #expect(try await reader.read(1).map(\.text) == ["a"])
      }
    },
    EventLogConformance("a position outside the log is refused with what there is") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        try await log.append([record("a"), record("b")], to: partition)
        let bounds = try await log.bounds(of: partition)
        for offset in [bounds.lowerBound - 1, bounds.upperBound + 1] {
          await #expect(throws: LogError.outOfRange(partition, offset: offset, available: bounds)) {
            _ = try await log.reader(of: partition, from: offset)
          }
        }
      }
    },
  ]

  static let closing: [EventLogConformance] = [
    EventLogConformance("closing a reader ends its wait; others go on") { (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let closed = try await log.reader(of: partition, from: 0)
        let other = try await log.reader(of: partition, from: 0)
        async let ended = closed.next(atMost: 10)
        async let woken = other.next(atMost: 10)
        closed.close()
        #expect(try await ended.isEmpty)
        try await log.append([record("a")], to: partition)
        #expect(try await woken.map(\.text) == ["a"])
        #expect(try await closed.next(atMost: 10).isEmpty)
      }
    },
    EventLogConformance("closing the log ends every reader and refuses appends; closing twice does nothing") {
      (fixture) async throws in
      try await fixture.with { (log, partition) async throws in
        let reader = try await log.reader(of: partition, from: 0)
        let writer = try await log.writer(to: partition)
        async let ended = reader.next(atMost: 10)
        await log.close()
        #expect(try await ended.isEmpty)
        #expect(try await reader.next(atMost: 10).isEmpty)
        for append in [
          { try await log.append([record("a")], to: partition) }, { try await writer.append([record("a")]) },
        ] {
          let error = await #expect(throws: LogError.self) { _ = try await append() }
          guard case .notAppended = error else {
            Issue.record("\(String(describing: error)) is not notAppended")
            continue
          }
        }
        await log.close()
      }
    },
    EventLogConformance("appends under way when the log closes are all in it or refused") { (fixture) async throws in
      guard fixture.isDurable else { return }
      let topic = TopicPartition(EventLogFixture.freshTopic(), 0)
      let log = try await fixture.open()
      try await log.create([topic.topic], partitions: 1)
      let landed = await withTaskGroup(of: String?.self) { group in
        for number in 0..<40 {
          group.addTask { (try? await log.append([record("\(number)")], to: topic)) == nil ? nil : "\(number)" }
        }
        group.addTask {
          await log.close()
          return nil
        }
        return await group.reduce(into: Set<String>()) { if let text = $1 { $0.insert(text) } }
      }
      let again = try await fixture.open()
      let end = try await again.bounds(of: topic).upperBound
      let read = end == 0 ? [] : try await again.reader(of: topic, from: 0).read(landed.count)
      #expect(Set(read.compactMap(\.text)) == landed)
      await again.close()
    },
  ]
}
