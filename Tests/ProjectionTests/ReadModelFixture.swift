import Contracts
import EventLog
import Foundation
import HTTP
import LibraryService
import Messaging
import ProjectionService
import SQLite
import ServiceKit
import TasksService
import TestSupport
import Testing
import VisitorLogService

/// The real rules of the three services, the real fold into a file, and the real routes over it; the log is arrays.
/// Every command is folded before `send` returns. Not for use by two threads at once.
final class ReadModelFixture {
  let directory: TemporaryDirectory
  let tasks: DomainTester<TasksDomain>
  let library: DomainTester<LibraryDomain>
  let visitors: DomainTester<VisitorLogDomain>
  let db: Connection
  private let core: FollowerCore<ProjectionEffect>
  private let service: ProjectionService
  private var taken: [String: Int] = [:]

  init() async throws {
    directory = try TemporaryDirectory()
    tasks = try DomainTester<TasksDomain>()
    library = try DomainTester<LibraryDomain>()
    visitors = try DomainTester<VisitorLogDomain>()
    let folder = directory.file("projection")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    db = try ProjectionEffect.migrator.open("\(folder)/projection.sqlite")
    core = try Self.core(db)
    service = ProjectionService(readOnly: directory.path, health: Health(), logger: .silent)
    try await service.prepare()
  }

  static func core(_ db: Connection) throws -> FollowerCore<ProjectionEffect> {
    try FollowerCore(
      db, installation: Installation(logID: "test", partitionCount: 1),
      partitions: ServicePartition.all(ServiceContext.owners, partitionCount: 1),
      makeEffect: { try ProjectionEffect($0, partitionCount: 1) })
  }

  /// The records of each service so far.
  var logs: [(partition: ServicePartition, records: [Record])] {
    [
      (ServicePartition("tasks", 0), tasks.log), (ServicePartition("library", 0), library.log),
      (ServicePartition("visitorlog", 0), visitors.log),
    ]
  }

  /// Sends a command to its service; it must be accepted unless said otherwise. Returns the entity made or changed.
  @discardableResult
  func send(
    _ type: String, _ data: JSON, workspace: String = "main", accepted: Bool = true
  ) throws -> MessageID {
    let (isAccepted, entity, answer) = try decide(type, data, workspace)
    try #require(isAccepted == accepted, "\(type) \(data.text): \(answer)")
    try fold()
    return entity ?? MessageID(high: 0, low: 0)
  }

  /// As `send` for many commands, folded in one go.
  @discardableResult
  func sendAll(_ type: String, _ data: [JSON], workspace: String = "main") throws -> [MessageID] {
    let entities = try data.map { data in
      let (isAccepted, entity, answer) = try decide(type, data, workspace)
      try #require(isAccepted, "\(type) \(data.text): \(answer)")
      return entity ?? MessageID(high: 0, low: 0)
    }
    try fold()
    return entities
  }

  private func decide(_ type: String, _ data: JSON, _ workspace: String) throws -> (Bool, MessageID?, String) {
    switch type.prefix(while: { $0 != "." }) {
    case "tasks":
      let answer = try tasks.send(type, data, workspace: workspace)
      return (answer.isAccepted, answer.entity, answer.decision.answer.text)
    case "library":
      let answer = try library.send(type, data, workspace: workspace)
      return (answer.isAccepted, answer.entity, answer.decision.answer.text)
    default:
      let answer = try visitors.send(type, data, workspace: workspace)
      return (answer.isAccepted, answer.entity, answer.decision.answer.text)
    }
  }

  /// Folds what the services have made since.
  func fold() throws {
    for (partition, records) in logs {
      core.take(Array(records[taken[partition.service, default: 0]...]), of: partition)
      taken[partition.service] = records.count
    }
    try core.fold()
    for (partition, _) in logs { try #require(core.stop(of: partition) == nil) }
  }

  /// The sequence of a service's last event or decision.
  func sequence(_ service: String) throws -> JSON {
    let log = logs.first { $0.partition.service == service }
    return JSON(try log?.records.last.map { try Message($0).sequence } ?? nil)
  }

  // MARK: - Reads

  /// `GET /v1/…`. A query in the path is taken as it stands: nothing in it is decoded.
  static func request(_ path: String, _ query: [(String, String)] = []) -> Request {
    let parts = path.split(separator: "?", maxSplits: 1)
    let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(sides[0]), sides.count > 1 ? String(sides[1]) : "")
    }
    return Request(path: "/v1/\(parts[0])", query: (pairs + query).map { (name: $0.0, value: $0.1) })
  }

  func response(_ path: String, _ query: [(String, String)] = []) async -> Response {
    await service.router.handle(Self.request(path, query))
  }

  /// The document of an answer that must be 200.
  func get(_ path: String, _ query: [(String, String)] = []) async throws -> JSON {
    let response = await response(path, query)
    let json = try response.document
    try #require(response.status == 200, "\(path) \(query): \(json.text)")
    return json
  }

  /// The rows of a list.
  func rows(_ path: String, _ query: [(String, String)] = []) async throws -> [JSON] {
    try #require(try await get(path, query)["items"]?.array)
  }

  /// One member of each row of a list, as text.
  func names(_ path: String, _ query: [(String, String)] = [], _ member: String? = nil) async throws -> [String] {
    try await rows(path, query).map { row in
      let value = member.map { row[$0] } ?? row["title"] ?? row["name"] ?? row["number"]
      return value?.string ?? value?.text ?? "?"
    }
  }

  /// All rows of a list, page by page.
  func pages(_ path: String, _ query: [(String, String)], of size: Int, between: (Int) throws -> Void = { _ in })
    async throws -> [JSON]
  {
    var rows: [JSON] = []
    var cursor: String?
    var page = 0
    repeat {
      let answer = try await get(path, query + [("limit", "\(size)")] + (cursor.map { [("cursor", $0)] } ?? []))
      let items = try #require(answer["items"]?.array)
      #expect(items.count <= size)
      rows += items
      cursor = answer["next"]?.string
      page += 1
      try between(page)
    } while cursor != nil
    return rows
  }

  /// The digest of every table.
  static func digests(_ db: Connection) throws -> [String] {
    try ProjectionEffect.tables.map { table in
      "\(table.name) \(try FoldTable(name: table.name, key: table.key, columns: table.columns).digest(db))"
    }
  }
}

extension Response {
  var document: JSON {
    get throws {
      guard case .bytes(let bytes) = body else { throw TesterError("the answer is a stream") }
      return try JSON(parsing: bytes)
    }
  }
}
