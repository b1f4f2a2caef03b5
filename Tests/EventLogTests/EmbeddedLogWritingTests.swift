import Dispatch
import EventLog
import Foundation
import Messaging
import SQLite
import Synchronization
import TestSupport
import Testing

/// What the embedded log alone promises of its writer.
struct EmbeddedLogWritingTests {
  let directory: TemporaryDirectory
  let partition = TopicPartition("t", 0)

  init() throws { directory = try TemporaryDirectory() }

  private func open(now: @escaping @Sendable () -> Timestamp = { .now() }) async throws -> EmbeddedLog {
    let log = try EmbeddedLog(directory: directory.path, now: now)
    try await log.create(["t"], partitions: 1)
    return log
  }

  private func text(_ text: String) -> NewRecord { NewRecord(key: nil, headers: [], value: Array(text.utf8)) }

  @Test(.timeLimit(.minutes(1)))
  func `all appends that wait go into one transaction, and none is readable before it`() async throws {
    // The writer reads its clock once a transaction: the first one is held there while the others come.
    let transactions = Atomic(0)
    let entered = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let log = try await open {
      if transactions.add(1, ordering: .relaxed).newValue == 1 {
        entered.continuation.yield()
        release.wait()
      }
      return .now()
    }
    let executor = SerialTaskExecutor()
    let first = Task { try await log.append([text("first")], to: partition) }
    var iterator = entered.stream.makeAsyncIterator()
    await iterator.next()
    let others = (0..<50).map { number in
      Task(executorPreference: executor) { try await log.append([text("\(number)")], to: partition) }
    }
    await executor.settle()
    #expect(try await log.bounds(of: partition) == 0..<0)
    release.signal()
    #expect(try await first.value == [0])
    for (number, other) in others.enumerated() { #expect(try await other.value == [Int64(number) + 1]) }
    #expect(transactions.load(ordering: .relaxed) == 2)
    await log.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func `what was acknowledged is in the files at once, without a close`() async throws {
    let log = try await open()
    let copy = try TemporaryDirectory()
    for number in 0..<20 { try await log.append([text("\(number)")], to: partition) }
    for name in ["log.sqlite", "log.sqlite-wal"] {
      try FileManager.default.copyItem(atPath: directory.file(name), toPath: copy.file(name))
    }
    await log.close()
    let again = try EmbeddedLog(directory: copy.path)
    #expect(try await again.reader(of: partition, from: 0).read(20).map(\.text) == (0..<20).map { "\($0)" })
    #expect(again.id == log.id)
    await again.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func `a full disk refuses appends whole, wakes nobody, and the log goes on once there is room`() async throws {
    let log = try await open()
    let writer = try await log.writer(to: partition)
    try await writer.append([text("before")])
    let reader = try await log.reader(of: partition, from: 1)
    async let woken = reader.next(atMost: 10)
    let large = NewRecord(key: nil, headers: [], value: Array(repeating: 1, count: 100_000))
    try log.limitPages(toCurrentPlus: 4)
    let error = await #expect(throws: LogError.self) { try await writer.append([text("lost"), large]) }
    guard case .notAppended(let why) = error else {
      Issue.record("\(String(describing: error)) is not notAppended")
      return
    }
    #expect(why == "no room left on the disk that holds \(directory.path)/log.sqlite")
    #expect(log.trouble?.contains("no room left") == true)
    #expect(try await log.bounds(of: partition) == 0..<1)
    // Nothing may follow a hole: this writer is done.
    await #expect(throws: LogError.self) { try await writer.append([text("behind a hole")]) }
    // A small record still fits; with room again, a large one does too.
    #expect(try await log.append([text("small")], to: partition) == [1])
    #expect(log.trouble == nil)
    try log.limitPages(toCurrentPlus: nil)
    #expect(try await log.writer(to: partition).append([large]) == [2])
    #expect(try await woken.first?.text == "small")
    await log.close()
    let again = try EmbeddedLog(directory: directory.path)
    let read = try await again.reader(of: partition, from: 0).read(3)
    #expect(read.map(\.value?.count) == [6, 5, 100_000])
    await again.close()
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "rm -r DIR", "rm DIR/log.sqlite", "rm DIR/log.sqlite-wal", "mv DIR/log.sqlite DIR/x; cp DIR/x DIR/log.sqlite",
    ])
  func `nothing is acknowledged once the file of the log is gone from its place`(_ deed: String) async throws {
    let folder = try TemporaryDirectory()
    let log = try EmbeddedLog(directory: folder.file("log"))
    try await log.create(["t"], partitions: 1)
    #expect(try await log.append([text("kept")], to: partition) == [0])
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", deed.replacing("DIR", with: folder.file("log"))]
    try shell.run()
    shell.waitUntilExit()
    let error = await #expect(throws: LogError.self) { try await log.append([text("lost")], to: partition) }
    guard case .uncertain(let why) = error else {
      Issue.record("\(String(describing: error)) is not uncertain")
      return
    }
    #expect(why.contains("was removed or replaced while it was in use"))
    #expect(log.trouble == why)
    #expect(try await log.bounds(of: partition) == 0..<1)
    await #expect(throws: LogError.notAppended(why)) { try await log.append([text("later")], to: partition) }
    #expect(log.trouble == why)
    await log.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func `appends behind a failed one of the same writer do not go in`() async throws {
    let entered = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    let log = try await open {
      entered.continuation.yield()
      release.wait()
      return .now()
    }
    let writer = try await log.writer(to: partition)
    let executor = SerialTaskExecutor()
    try log.limitPages(toCurrentPlus: 4)
    let large = NewRecord(key: nil, headers: [], value: Array(repeating: 1, count: 100_000))
    let failing = Task { try await writer.append([large]) }
    var iterator = entered.stream.makeAsyncIterator()
    await iterator.next()
    let behind = Task(executorPreference: executor) { try await writer.append([text("behind")]) }
    let other = Task(executorPreference: executor) { try await log.append([text("other")], to: partition) }
    await executor.settle()
    release.signal()
    release.signal()
    await #expect(throws: LogError.self) { try await failing.value }
    await #expect(throws: LogError.self) { try await behind.value }
    #expect(try await other.value == [0])
    await log.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func `a record's time is never before its predecessor's, also after the log was opened again`() async throws {
    let clock = Mutex<Int64>(5000)
    let now: @Sendable () -> Timestamp = { Timestamp(milliseconds: clock.withLock { $0 }) }
    var log = try await open(now: now)
    for time: Int64 in [5000, 4000, 6000, 1000] {
      clock.withLock { $0 = time }
      try await log.append([text("\(time)")], to: partition)
    }
    await log.close()
    log = try await open(now: now)
    try await log.append([text("again")], to: partition)
    let times = try await log.reader(of: partition, from: 0).read(5).map(\.time.milliseconds)
    #expect(times == [5000, 5000, 6000, 6000, 6000])
    #expect(try await log.offset(of: partition, at: Timestamp(milliseconds: 5001)) == 2)
    await log.close()
  }

  @Test func `a record that is too large is refused with its size, and nothing of its append goes in`() async throws {
    let log = try await open()
    let large = NewRecord(key: nil, headers: [], value: Array(repeating: 0, count: 16 << 20 + 1))
    let error = await #expect(throws: LogError.self) { try await log.append([text("a"), large], to: partition) }
    #expect("\(try #require(error))".contains("16777217 bytes is larger than the 16777216"))
    #expect(try await log.bounds(of: partition) == 0..<0)
    await log.close()
  }

  @Test func `a record of several megabytes comes back`() async throws {
    let log = try await open()
    let value = (0..<5 << 20).map { UInt8(truncatingIfNeeded: $0) }
    let large = NewRecord(key: nil, headers: [Header("h", value)], value: value)
    try await log.append([large, large], to: partition)
    await log.close()
    let again = try EmbeddedLog(directory: directory.path)
    let read = try await again.reader(of: partition, from: 0).read(2)
    #expect(read.map(\.value) == [value, value])
    #expect(read.first?.headers == large.headers)
    await again.close()
  }
}
