import Contracts
import EventLog
import Foundation
import HTTP
import Messaging
import ProjectionService
import SQLite
import ServiceKit
import TestSupport
import Testing

/// The projection as it runs: on an embedded log, in a data directory of its own.
@Suite struct ProjectionServiceTests {
  private static let count = 2
  private static var partition: Int { Workspace.partition(of: "main", count: count) }

  /// A log with the topics of the three services, written as their owners would.
  private final class Scene: Sendable {
    let folder: TemporaryDirectory
    let log: EmbeddedLog
    let health = Health()

    init() async throws {
      folder = try TemporaryDirectory()
      log = try EmbeddedLog(directory: folder.file("log"))
      try await log.create(ServiceContext.owners.map(Topic.events), partitions: count)
    }

    func service(patience: Duration = .seconds(30)) -> ProjectionService {
      ProjectionService(
        ServiceContext(
          log: log, data: folder.path, partitionCount: count, health: health, logger: .silent), patience: patience)
    }

    func append(_ messages: [Message], _ service: String = "tasks") async throws {
      try await log.append(messages.map(\.record), to: TopicPartition(Topic.events(service), partition))
    }

    /// Runs the service while the body runs; returns when it has put everything in order.
    func run<T: Sendable>(_ service: ProjectionService, _ body: @Sendable (Router) async throws -> T) async throws -> T
    {
      try await service.prepare()
      let running = Task { try await service.run() }
      let result: Result<T, any Error>
      do {
        result = .success(try await body(service.router))
      } catch {
        result = .failure(error)
      }
      running.cancel()
      try await running.value
      return try result.get()
    }
  }

  private static func tag(_ story: inout StoryBuilder, _ name: String) -> [Message] {
    let id = MessageID.next()
    let event = TasksEvent.tagCreated(.init(id: id, name: name, key: Text.uniqueKey(name)))
    return story.command([.init(event.type, event.subject, event.data)])
  }

  private static func names(_ response: Response) throws -> [String] {
    try response.document["items"]?.array?.compactMap { $0["name"]?.string } ?? []
  }

  private static func get(_ router: Router, _ path: String) async -> Response {
    await router.handle(ReadModelFixture.request(path))
  }

  @Test(.timeLimit(.minutes(1)))
  func `an answer waits for the receipts that it depends on, and says as of when it is`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    try await scene.append([story.claim()] + Self.tag(&story, "one"))
    let next = Self.tag(&story, "two")
    try await scene.run(scene.service()) { router in
      let first = await Self.get(router, "tags?after=tasks/\(Self.partition)/2")
      #expect(try Self.names(first) == ["one"])
      #expect(try first.document["asOf"] == ["tasks/\(Self.partition)": 2])
      async let later = Self.get(router, "tags?after=tasks/\(Self.partition)/4&after=library/0/77")
      try await scene.append(next)
      let second = await later
      #expect(try Self.names(second) == ["one", "two"])
      #expect(try second.document["asOf"] == ["tasks/\(Self.partition)": 4])
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `what lags is named when the time is over`() async throws {
    let scene = try await Scene()
    try await scene.run(scene.service(patience: .milliseconds(20))) { router in
      let response = await Self.get(router, "items?after=tasks/\(Self.partition)/9")
      let problem = try response.document
      #expect(response.status == 504)
      #expect(problem["code"] == "behind")
      #expect(problem["lagging"] == [.string("tasks/\(Self.partition)/9")])
      #expect(problem["detail"]?.string?.contains("tasks/\(Self.partition)/9") == true)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `nobody sees a part of a command`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    let events = (0..<50).map { number in
      TasksEvent.tagCreated(.init(id: .next(), name: "tag \(number)", key: "tag \(number)"))
    }
    try await scene.append([story.claim()])
    let parts = story.command(events.map { .init($0.type, $0.subject, $0.data) })
    try await scene.run(scene.service()) { router in
      try await scene.append(Array(parts.prefix(30)))
      #expect(try await Self.get(router, "tags?after=tasks/\(Self.partition)/0").document["count"] == 0)
      try await scene.append(Array(parts.suffix(from: 30)))
      let last = await Self.get(router, "tags?after=tasks/\(Self.partition)/51")
      #expect(try last.document["count"] == 50)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `it goes on where it was, and status tells how far that is`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    try await scene.append([story.claim()] + Self.tag(&story, "one"))
    try await scene.run(scene.service()) { router in
      _ = await Self.get(router, "tags?after=tasks/\(Self.partition)/2")
    }
    try await scene.append(Self.tag(&story, "two"))
    try await scene.run(scene.service()) { router in
      #expect(try Self.names(await Self.get(router, "tags?after=tasks/\(Self.partition)/4")) == ["one", "two"])
      let status = try await Self.get(router, "status").document
      let place = status["positions"]?.array?.first {
        $0["service"] == "tasks" && $0["partition"] == JSON(Self.partition)
      }
      #expect(place?["sequence"] == 4 && place?["lag"] == 0 && place?["epoch"] == 1)
      #expect(status["positions"]?.array?.count == 3 * Self.count)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a rebuilt read model is the same, and a check names the first row that differs`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    try await scene.append([story.claim()] + Self.tag(&story, "one") + Self.tag(&story, "two"))
    let before = try await scene.run(scene.service()) { router in
      try await Self.get(router, "tags?after=tasks/\(Self.partition)/4").document
    }
    func check() async throws -> ReadModelCheck {
      try await ProjectionService.check(data: scene.folder.path, log: scene.log, partitionCount: Self.count)
    }
    let sound = try await check()
    #expect(sound.difference == nil)
    #expect(sound.digests.count == ProjectionEffect.tables.count)
    let path = scene.folder.file("projection/projection.sqlite")
    let db = try Connection(path, .writing)
    try db.execute("UPDATE tag SET name = 'three' WHERE name = 'two'")
    db.close()
    let difference = try #require(try await check().difference)
    #expect(difference.table == "tag")
    #expect(difference.detail.contains("\"three\"") && difference.detail.contains("\"two\""))
    try await ProjectionService.rebuild(data: scene.folder.path, log: scene.log, partitionCount: Self.count)
    #expect(try await check().difference == nil)
    let after = try await scene.run(scene.service()) { router in
      try await Self.get(router, "tags?after=tasks/\(Self.partition)/4").document
    }
    #expect(after == before)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a rebuild beside the running projection is refused, naming the process`() async throws {
    let scene = try await Scene()
    try await scene.run(scene.service()) { _ in
      let error = await #expect(throws: StartupError.self) {
        try await ProjectionService.rebuild(data: scene.folder.path, log: scene.log, partitionCount: Self.count)
      }
      #expect(error?.description.contains("projection") == true)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a replay answers as it was at its moment, from a directory of its own, without the log`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    try await scene.append([story.claim()] + Self.tag(&story, "one"))
    let then = story.time
    try await scene.append(Self.tag(&story, "two"))
    let into = scene.folder.file("then")
    try await ProjectionService.replay(log: scene.log, partitionCount: Self.count, until: then, into: into)
    await #expect(throws: StartupError.self) {
      try await ProjectionService.replay(log: scene.log, partitionCount: Self.count, until: then, into: into)
    }
    let health = Health()
    let kept = ProjectionService(readOnly: into, health: health, logger: .silent)
    try await scene.run(kept) { (router: Router) async throws in
      let tags = await Self.get(router, "tags")
      let search = await Self.get(router, "search?q=two")
      let status = await Self.get(router, "status")
      #expect(health.isReady)
      #expect(try Self.names(tags) == ["one"])
      #expect(try search.document["count"] == 0)
      #expect(await Self.get(router, "tags?after=tasks/\(Self.partition)/2").status == 200)
      #expect(await Self.get(router, "tags?after=tasks/\(Self.partition)/4").status == 504)
      #expect(try status.document["positions"]?.array?.isEmpty == false)
    }
    let whole = scene.folder.file("whole")
    try await ProjectionService.replay(log: scene.log, partitionCount: Self.count, until: nil, into: whole)
    let other = ProjectionService(readOnly: whole, health: Health(), logger: .silent)
    let all = try await scene.run(other) { try Self.names(await Self.get($0, "tags")) }
    #expect(all == ["one", "two"])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a projection that is stopped as soon as it starts stops at once`() async throws {
    let scene = try await Scene()
    var story = StoryBuilder("tasks", Self.partition)
    try await scene.append([story.claim()] + Self.tag(&story, "one"))
    for _ in 0..<20 { try await scene.run(scene.service()) { _ in } }
    let names = try await scene.run(scene.service()) { router in
      try Self.names(await Self.get(router, "tags?after=tasks/\(Self.partition)/2"))
    }
    #expect(names == ["one"])
  }

  @Test func `a directory without a read model, and one of another build, are refused`() async throws {
    let scene = try await Scene()
    func refusal() async throws -> String {
      let service = ProjectionService(readOnly: scene.folder.path, health: Health(), logger: .silent)
      let error = await #expect(throws: StartupError.self) { try await service.prepare() }
      return error?.description ?? ""
    }
    #expect(try await refusal().contains("there is no read model"))
    try await ProjectionService.rebuild(data: scene.folder.path, log: scene.log, partitionCount: Self.count)
    let db = try Connection(scene.folder.file("projection/projection.sqlite"), .writing)
    try db.execute("UPDATE follower_fold SET version = version - 1")
    db.close()
    #expect(try await refusal().contains("another build"))
    await #expect(throws: StartupError.self) {
      _ = try await ProjectionService.check(data: scene.folder.path, log: scene.log, partitionCount: Self.count)
    }
  }
}
