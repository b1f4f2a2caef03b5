import EventLog
import HTTP
import Messaging
import Synchronization
import TestSupport
import Testing

@testable import ServiceKit

@Suite(.timeLimit(.minutes(1))) struct PartProcessTests {
  private static func settings(_ folder: TemporaryDirectory, _ more: String...) async throws -> Settings {
    let any = HTTPService("any", host: "127.0.0.1", port: 0, metrics: Metrics(), logger: .silent) { _ in .json([:]) }
    try await any.prepare()
    let port = any.port ?? 0
    await any.conclude()
    return try Settings.parse(
      "tasks", ["--kafka", "broker:9092", "--data", folder.path, "--port", "\(port)"] + more, environment: [:])
  }

  @Test func `it waits for its log, not ready and answering, and then begins`() async throws {
    let folder = try TemporaryDirectory()
    let settings = try await Self.settings(folder)
    let tries = Atomic(0)
    let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
    let (goes, go) = AsyncStream.makeStream(of: Void.self)
    let (begins, begun) = AsyncStream.makeStream(of: ServiceContext.self)
    let part = PartProcess(
      "tasks", settings, logger: .silent,
      openLog: { _, _ in
        if tries.add(1, ordering: .relaxed).newValue < 3 { throw LogError.unreachable("no broker answers") }
        return try EmbeddedLog(directory: folder.file("log"))
      },
      build: { context, settings in
        begun.yield(context)
        return Serve.Part([], context, settings)
      },
      pause: { _ in
        waiting.yield()
        var next = goes.makeAsyncIterator()
        await next.next()
      })
    let running = Task { try await part.run() }
    await waits.first { _ in true }
    let client = try HTTPClient(base: "http://127.0.0.1:\(settings.port)")
    func get(_ path: String) async throws -> (status: Int, text: String) {
      let response = try await client.send(Request(path: path), timeout: .seconds(10))
      guard case .bytes(let bytes) = response.body else { return (response.status, "") }
      return (response.status, String(decoding: bytes, as: UTF8.self))
    }
    let ready = try await get("/readyz")
    #expect(ready.status == 503 && ready.text.contains("waits for the log: no broker answers"))
    #expect(try await get("/healthz").status == 200)
    #expect(try await get("/v1/items").text.contains("waits for its log"))
    go.yield()
    go.yield()
    let context = await begins.first { _ in true }
    #expect(context?.partitionCount == 4)
    running.cancel()
    try await running.value
  }

  @Test func `it ends at once while it waits`() async throws {
    let folder = try TemporaryDirectory()
    let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
    let part = PartProcess(
      "tasks", try await Self.settings(folder), logger: .silent,
      openLog: { _, _ in throw LogError.unreachable("no broker answers") },
      build: { Serve.Part([], $0, $1) },
      pause: { _ in
        waiting.yield()
        await Signal.cancellation()
        throw CancellationError()
      })
    let running = Task { try await part.run() }
    await waits.first { _ in true }
    running.cancel()
    try await running.value
  }

  @Test func `what waiting does not mend ends it`() async throws {
    let folder = try TemporaryDirectory()
    let settings = try await Self.settings(folder)
    let refused = PartProcess(
      "tasks", settings, logger: .silent,
      openLog: { _, _ in throw LogError.failed("the broker refused the password") },
      build: { Serve.Part([], $0, $1) })
    await #expect(throws: LogError.failed("the broker refused the password")) { try await refused.run() }
    let log = try EmbeddedLog(directory: folder.file("log"))
    try await log.create([Topic.commands("tasks")], partitions: 8)
    let wide = PartProcess(
      "tasks", settings, logger: .silent, openLog: { _, _ in log }, build: { Serve.Part([], $0, $1) })
    await #expect(throws: LogError.partitionCount(topic: Topic.commands("tasks"), found: 8, wanted: 4)) {
      try await wide.run()
    }
  }

  @Test func `positions are told together, the last of each, and only where they moved`() async {
    let (tellings, told) = AsyncStream.makeStream(of: [TopicPartition: Int64].self)
    let report = LagReport(every: .milliseconds(20)) { group, positions in
      if group == "daybook-tasks" { told.yield(positions) }
    }
    let (first, second) = (TopicPartition("a", 0), TopicPartition("a", 1))
    report.moved("daybook-tasks", first, to: 1)
    report.moved("daybook-tasks", second, to: 5)
    report.moved("daybook-tasks", first, to: 2)
    var next = tellings.makeAsyncIterator()
    #expect(await next.next() == [first: 2, second: 5])
    report.moved("daybook-tasks", first, to: 3)
    #expect(await next.next() == [first: 3])
  }
}
