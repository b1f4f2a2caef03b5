import AuditService
import EventLog
import HTTP
import Messaging
import SQLite
import ServiceKit
import Synchronization
import TestSupport
import Testing

/// A log of all three services and an audit on it.
final class AuditScene: Sendable {
  let folder: TemporaryDirectory
  let log: EmbeddedLog
  let health = Health()
  static let partitionCount = 4

  init(_ folder: TemporaryDirectory? = nil) async throws {
    self.folder = try folder ?? TemporaryDirectory()
    log = try EmbeddedLog(directory: self.folder.file("log"))
    try await log.create(ServiceContext.owners.map(Topic.events), partitions: Self.partitionCount)
  }

  var data: String { folder.path }
  var database: String { folder.file("audit/audit.sqlite") }
  var headFile: String { folder.file("audit/head.json") }

  func service() -> AuditService {
    AuditService(
      ServiceContext(
        log: log, data: data, partitionCount: Self.partitionCount, health: health, logger: .silent))
  }

  func append(_ messages: [Message], to partition: ServicePartition) async throws {
    try await log.append(messages.map(\.record), to: partition.events)
  }

  func head() throws -> AuditHead? { try AuditHead.read(headFile) }

  /// Runs an audit while the body runs, from when it has folded all that is in the log.
  @discardableResult
  func run<T: Sendable>(_ body: @Sendable (AuditService) async throws -> T) async throws -> T {
    let service = service()
    try await service.prepare()
    let running = Task { try await service.run() }
    do {
      await service.follower.progress.wait { lanes in
        !lanes.isEmpty && lanes.allSatisfy { $0.value.isReady || $0.value.stop != nil }
      }
      let result = try await body(service)
      running.cancel()
      try await running.value
      return result
    } catch {
      running.cancel()
      try? await running.value
      throw error
    }
  }

  /// Folds all that is in the log, and stops.
  func fold() async throws { try await run { _ in } }

  /// Changes the stopped database as somebody who means harm would.
  func alter(_ sql: String) throws {
    let db = try Connection(database, .writing)
    defer { db.close() }
    try db.execute("DROP TRIGGER record_kept; DROP TRIGGER record_unchanged; \(sql)")
  }
}

extension AuditService {
  /// Asks a route; gives status and document.
  func get(_ path: String, _ query: [(name: String, value: String)] = []) async -> (status: Int, json: JSON) {
    let response = await router.handle(Request(path: path, query: query))
    guard case .bytes(let bytes) = response.body else { return (response.status, .null) }
    return (response.status, (try? JSON(parsing: bytes)) ?? .null)
  }

  /// The receipts of a history, in its order.
  func receipts(_ query: [(name: String, value: String)]) async -> [String] {
    let answer = await get("/v1/history", query).json
    return answer["items"]?.array?.compactMap { $0["receipt"]?.string } ?? [answer.text]
  }

  /// The lines of `GET /v1/events`.
  func stream(_ query: [(name: String, value: String)]) async throws -> AsyncThrowingStream<[UInt8], any Error> {
    let response = await router.handle(Request(path: "/v1/events", query: query))
    guard case .stream(let stream) = response.body else {
      throw StartupError("\(response.status) is no stream")
    }
    return stream
  }

  func eventReceipts(_ query: [(name: String, value: String)]) async throws -> [String] {
    var receipts: [String] = []
    for try await chunk in try await stream(query) { receipts += Self.receipts(chunk) }
    return receipts
  }

  func expectEvents(
    _ query: [(name: String, value: String)], _ expected: [String], _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await eventReceipts(query)
    #expect(found == expected, sourceLocation: location)
  }

  static func receipts(_ chunk: [UInt8]) -> [String] {
    chunk.split(separator: 0x0a).map { (try? JSON(parsing: Array($0)))?["receipt"]?.string ?? "?" }
  }
}

/// Where the workspace `main` is, with four partitions.
let home = ServicePartition("tasks", 3)

/// The life of an item, told in the form that the contract gives events.
struct Life {
  var story = StoryBuilder("tasks", 3)
  let project = MessageID.next()
  let item = MessageID.next()
  let tag = MessageID.next()
  let edit = MessageID.next()
  let delete = MessageID.next()

  /// Claim; project made (1, 2); item added and tagged (3…6); edited (7, 8); deleted (9, 10); a refusal (11).
  mutating func tell() -> [Message] {
    let named: JSON = ["id": JSON(project), "name": "House chores"]
    return [story.claim()]
      + story.command([
        .init("tasks.project.created.v1", "project/\(project)", ["id": JSON(project), "name": "House chores"])
      ])
      + story.command([
        .init("tasks.tag.created.v1", "tag/\(tag)", ["id": JSON(tag), "name": "urgent", "key": "urgent"]),
        .init(
          "tasks.item.added.v1", "item/\(item)",
          ["id": JSON(item), "title": "Buy milk", "key": "buy milk", "note": nil, "project": named]),
        .init(
          "tasks.tag.assigned.v1", "item/\(item)",
          [
            "id": JSON(item), "item": ["id": JSON(item), "name": "Buy milk"],
            "tag": ["id": JSON(tag), "name": "urgent"],
          ]),
      ])
      + story.command(
        [
          .init(
            "tasks.item.edited.v1", "item/\(item)",
            [
              "id": JSON(item), "key": "buy oat milk", "before": ["title": "Buy milk"],
              "after": ["title": "Buy oat milk"],
            ])
        ], actor: "grace", id: edit)
      + story.command(
        [
          .init(
            "tasks.item.deleted.v1", "item/\(item)",
            [
              "id": JSON(item),
              "last": [
                "id": JSON(item), "title": "Buy oat milk", "project": named,
                "tags": [["id": JSON(tag), "name": "urgent"]],
              ],
            ])
        ], actor: nil, id: delete)
      + story.command(
        type: "tasks.tag.create.v1",
        refused: .conflict("tag-name-taken", "There is a tag urgent.", ["existing": JSON(tag)]))
  }
}
