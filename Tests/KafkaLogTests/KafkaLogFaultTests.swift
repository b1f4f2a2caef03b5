import CRdKafka
import EventLog
import KafkaLog
import TestSupport
import Testing

private func record(_ text: String) -> NewRecord { NewRecord(key: nil, headers: [], value: Array(text.utf8)) }

/// Faults that librdkafka's mock cluster plays.
@Suite(.timeLimit(.minutes(1))) struct KafkaLogFaultTests {
  private let partition = TopicPartition("faults", 0)

  @Test func `a record that fails halts its writer: nothing behind it is in the log`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open(["batch.num.messages": "1"])
    try await log.create(["faults"], partitions: 1)
    let writer = try await log.writer(to: partition)
    try await writer.append([record("0")])
    mock.failProduce([RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED])
    let error = await #expect(throws: LogError.self) {
      try await writer.append((1...5).map { record("\($0)") })
    }
    guard case .uncertain = error else { throw try #require(error) }
    let next = await #expect(throws: LogError.self) { try await writer.append([record("6")]) }
    guard case .notAppended = next else { throw try #require(next) }
    await writer.close()

    // A new writer goes on from the record that failed.
    let second = try await log.writer(to: partition)
    try await second.append((2...5).map { record("\($0)") })
    let texts = try await log.reader(of: partition, from: 0).read(6).map(\.text)
    #expect(texts == ["0", "1", "2", "3", "4", "5"])
    #expect(try await log.bounds(of: partition) == 0..<6)
    await log.close()
  }

  @Test func `a record that the broker did not take for now is sent again`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    let writer = try await log.writer(to: partition)
    mock.failProduce([RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR__TRANSPORT])
    try await writer.append([record("a"), record("b")])
    #expect(try await log.reader(of: partition, from: 0).read(2).map(\.text) == ["a", "b"])
    await log.close()
  }

  @Test func `one command that is refused leaves the next one alone`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    try await log.append([record("a")], to: partition)
    mock.failProduce([RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP])
    await #expect(throws: LogError.self) { try await log.append([record("b")], to: partition) }
    try await log.append([record("c")], to: partition)
    #expect(try await log.reader(of: partition, from: 0).read(2).map(\.text) == ["a", "c"])
    await log.close()
  }

  @Test func `a broker that is away refuses new commands, keeps those under way, and is found again`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    try await log.append([record("a")], to: partition)
    mock.setDown(true)
    // What was handed over before the loss is known stays under way; only refusals are answered.
    let (answers, told) = AsyncStream.makeStream(of: (Int, Result<[Int64], LogError>).self)
    let appending = Task {
      for number in 1... {
        log.append([record("\(number)")], to: partition) { told.yield((number, $0)) }
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    var iterator = answers.makeAsyncIterator()
    let refused = try #require(await iterator.next())
    appending.cancel()
    #expect(refused.1 == .failure(.notAppended("no Kafka broker answers at \(mock.servers) (connection refused)")))
    #expect(log.log.trouble?.contains("no Kafka broker") == true)
    mock.setDown(false)
    var landed: [String] = []
    while landed.count < refused.0 - 1, let answer = await iterator.next() {
      if case .success = answer.1 { landed.append("\(answer.0)") }
    }
    let expected = (1..<refused.0).map { "\($0)" }
    #expect(Set(landed) == Set(expected))
    while (try? await log.append([record("back")], to: partition)) == nil {
      try await Task.sleep(for: .milliseconds(20))
    }
    // The mock cluster takes what is sent again twice.
    let end = Int(try await log.bounds(of: partition).upperBound)
    var seen: Set<String?> = []
    let texts = try await log.reader(of: partition, from: 0).read(end).map(\.text).filter { seen.insert($0).inserted }
    #expect(texts == ["a"] + expected + ["back"])
    await log.close()
  }

  @Test func `a partition whose leader is looked for is tried again by whoever reads it`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    mock.failListOffsets(Array(repeating: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, count: 1000))
    let error = await #expect(throws: LogError.self) { try await log.bounds(of: partition) }
    #expect(error?.isPassing == true && error?.description.contains("takes over for another") == true)
    await log.close()
  }

  @Test func `closing is bounded while the broker is away, and what was under way is uncertain`() async throws {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    let writer = try await log.writer(to: partition)
    try await writer.append([record("a")])
    let reader = try await log.reader(of: partition, from: 1)
    async let ended = reader.next(atMost: 1)
    mock.setDown(true)
    async let result = Result { () async throws in try await writer.append([record("b")]) }
    try await Task.sleep(for: .milliseconds(50))
    let start = ContinuousClock.now
    await log.close()
    #expect(ContinuousClock.now - start < .seconds(4))
    #expect(try await ended.isEmpty)
    guard case .failure(let error) = await result, case LogError.uncertain = error else {
      Issue.record("\(await result)")
      return
    }
  }

  @Test func `a broker that is not there is named within the patience`() async throws {
    let start = ContinuousClock.now
    let error = await #expect(throws: LogError.self) {
      _ = try await KafkaLog.open(KafkaSettings(servers: "127.0.0.1:1"), patience: .milliseconds(700))
    }
    #expect(error?.description == "no Kafka broker answers at 127.0.0.1:1 (connection refused)")
    #expect(ContinuousClock.now - start < .seconds(4))
  }

  @Test func `records under librdkafka's limit go through, larger ones are refused before they are handed over`()
    async throws
  {
    let mock = try MockCluster()
    let log = try await mock.open()
    try await log.create(["faults"], partitions: 1)
    let error = await #expect(throws: LogError.self) {
      try await log.append(
        [record("small"), NewRecord(key: nil, headers: [], value: Array(repeating: 0, count: 1_000_000))],
        to: partition)
    }
    guard case .notAppended = error else { throw try #require(error) }
    try await log.append([NewRecord(key: nil, headers: [], value: Array(repeating: 0, count: 999_000))], to: partition)
    #expect(try await log.bounds(of: partition) == 0..<1)
    await log.close()
  }
}

extension Result where Failure == any Error {
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
