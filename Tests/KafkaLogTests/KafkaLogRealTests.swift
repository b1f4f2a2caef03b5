import EventLog
import KafkaLog
import Messaging
import TestSupport
import Testing

private func record(_ text: String, time: Timestamp? = nil) -> NewRecord {
  NewRecord(key: Array("main".utf8), headers: [Header("ce_type", "test")], value: Array(text.utf8), time: time)
}

/// What only a real broker can show.
@Suite(.enabled(if: realBroker != nil, "DAYBOOK_TEST_KAFKA names no broker"), .timeLimit(.minutes(1)))
struct KafkaLogRealTests {
  private func withTopic(_ partitions: Int = 2, _ body: (KafkaLog, TopicPartition) async throws -> Void) async throws {
    let log = try await KafkaLog.open(KafkaSettings(servers: realBroker ?? ""))
    let topic = "real.\(MessageID.next())"
    do {
      try await log.create([topic], partitions: partitions)
      try await body(log, TopicPartition(topic, 1))
    } catch {
      try? await log.delete([topic])
      await log.close()
      throw error
    }
    try? await log.delete([topic])
    await log.close()
  }

  @Test func `a topic that was made here has nothing wrong with it`() async throws {
    try await withTopic { (log, partition) async throws in
      #expect(try await log.check([partition.topic], partitions: 2) == [])
      #expect(
        try await log.check([partition.topic], partitions: 3) == ["topic \(partition.topic) has 2 partitions, not 3"])
      #expect(
        try await log.check(["real.missing"], partitions: 2)
          == ["topic real.missing is missing: daybook topics create makes it"])
    }
  }

  @Test func `asking for a topic does not make it`() async throws {
    try await withTopic { (log, _) async throws in
      let nowhere = TopicPartition("real.\(MessageID.next())", 0)
      await #expect(throws: LogError.unknownTopic(nowhere.topic)) { try await log.append([record("a")], to: nowhere) }
      await #expect(throws: LogError.unknownTopic(nowhere.topic)) { _ = try await log.writer(to: nowhere) }
      await #expect(throws: LogError.unknownTopic(nowhere.topic)) { try await log.bounds(of: nowhere) }
      #expect(try await log.partitions(of: nowhere.topic) == nil)
    }
  }

  @Test func `a record keeps the time that it is given`() async throws {
    try await withTopic { (log, partition) async throws in
      let times = [1_600_000_000_000, 1_700_000_000_000].map { Timestamp(milliseconds: $0) }
      let writer = try await log.writer(to: partition)
      try await writer.append(times.map { record("\($0)", time: $0) })
      #expect(try await log.reader(of: partition, from: 0).read(2).map(\.time) == times)
      #expect(try await log.offset(of: partition, at: times[1]) == 1)
    }
  }

  @Test func `a waiting reader says that its topic was made anew with fewer records`() async throws {
    try await withTopic { (log, partition) async throws in
      try await log.append([record("a"), record("b")], to: partition)
      let reader = try await log.reader(of: partition, from: 0)
      #expect(try await reader.read(2).count == 2)
      let next = Task { try await reader.next(atMost: 1) }
      try await log.delete([partition.topic])
      // The broker refuses the name until the old topic is gone.
      while (try? await log.create([partition.topic], partitions: 2)) == nil {
        try await Task.sleep(for: .milliseconds(50))
      }
      await #expect(throws: LogError.self) { try await next.value }
    }
  }

  @Test func `a waiting reader says that its topic was deleted`() async throws {
    try await withTopic { (log, partition) async throws in
      try await log.append([record("a")], to: partition)
      let reader = try await log.reader(of: partition, from: 1)
      let next = Task { try await reader.next(atMost: 1) }
      try await log.delete([partition.topic])
      await #expect(throws: LogError.self) { try await next.value }
    }
  }

  @Test func `one partition can be read any number of times at once`() async throws {
    try await withTopic { (log, partition) async throws in
      try await log.append((0..<100).map { record("\($0)") }, to: partition)
      var readers: [any LogReader] = []
      for _ in 0..<3 { readers.append(try await log.reader(of: partition, from: 0)) }
      for reader in readers { #expect(try await reader.read(100).count == 100) }
      for reader in readers { reader.close() }
      // Taken again at once, before the last one is stopped.
      #expect(try await log.reader(of: partition, from: 50).read(50).first?.text == "50")
    }
  }
}
