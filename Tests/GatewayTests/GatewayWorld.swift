import EventLog
import GatewayService
import HTTP
import Messaging
import ServiceKit
import Synchronization
import TestSupport

/// A gateway on an embedded log, with an owner and backends that do what a test says.
final class GatewayWorld: Sendable {
  let folder: TemporaryDirectory
  let log: any EventLog
  let context: ServiceContext
  let gateway: GatewayService
  let asked: Asked
  private let task: Task<Void, any Error>

  static let partitionCount = 2

  /// Returns once the gateway is ready. `wrap` stands a log of one's own before the embedded one.
  static func start(
    options: GatewayService.Options = .init(), audit: Handler? = nil, folder: TemporaryDirectory? = nil,
    wrap: (any EventLog) -> any EventLog = { $0 }
  ) async throws -> GatewayWorld {
    let folder = try folder ?? TemporaryDirectory()
    let real = try EmbeddedLog(directory: folder.file("log"), holder: "test")
    for service in ServiceContext.owners {
      try await real.create([Topic.commands(service), Topic.events(service)], partitions: partitionCount)
    }
    do {
      let world = try await GatewayWorld(folder, wrap(real), options, audit)
      await world.context.health.settled()
      return world
    } catch {
      await real.close()
      throw error
    }
  }

  private init(
    _ folder: TemporaryDirectory, _ log: any EventLog, _ options: GatewayService.Options, _ audit: Handler?
  ) async throws {
    self.folder = folder
    self.log = log
    context = ServiceContext(
      log: log, data: folder.path, partitionCount: Self.partitionCount, logger: .silent)
    let asked = Asked()
    self.asked = asked
    gateway = GatewayService(
      context, options: options, projection: asked.backend("projection"), audit: audit ?? asked.backend("audit"))
    try await gateway.prepare()
    task = Task { [gateway] in try await gateway.run() }
  }

  func stop() async throws {
    task.cancel()
    _ = try await task.value
    await log.close()
  }

  /// `POST /v1/commands`.
  func post(
    _ body: String, headers: [String: String] = [:], query: [(name: String, value: String)] = []
  ) async -> Response {
    var request = Request(method: "POST", path: "/v1/commands", query: query, body: Array(body.utf8))
    request.headers = ["content-type": "application/json", "host": "localhost"].merging(headers) { $1 }
    return await gateway.handler(request)
  }

  func get(
    _ path: String, _ query: [(name: String, value: String)] = [], headers: [String: String] = ["host": "localhost"]
  ) async -> Response {
    await gateway.handler(Request(path: path, query: query, headers: headers))
  }
}

/// Backends that note what they were asked and answer `{}`.
final class Asked: Sendable {
  private let requests = Mutex<[String]>([])

  func backend(_ name: String) -> Handler {
    { request in
      let query = request.query.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&")
      self.requests.withLock { $0.append("\(name) \(request.path)?\(query)") }
      return .json(["ready": true, "name": .string(name)])
    }
  }

  /// What was asked since the last call.
  func take() -> [String] {
    requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
  }
}

/// An owner whose decisions are what a test says.
final class FakeOwner: Sendable {
  private let writer: any LogWriter
  private let commands: any LogReader
  private let service: String
  private let sequence = Mutex<Int64>(0)

  /// Claims the partition of the workspace under `epoch`, unless it is 0.
  init(
    _ log: any EventLog, service: String = "tasks", workspace: String = Workspace.main, epoch: Int64 = 1
  ) async throws {
    let partition = Workspace.partition(of: workspace, count: GatewayWorld.partitionCount)
    self.service = service
    writer = try await log.writer(to: TopicPartition(Topic.events(service), partition))
    commands = try await log.reader(of: TopicPartition(Topic.commands(service), partition), from: 0)
    if epoch > 0 { try await claim(epoch) }
  }

  func claim(_ epoch: Int64) async throws {
    try await writer.append([
      Message(
        id: .next(), source: "/test", type: Message.Kind.claimed, time: .now(), workspace: "", epoch: epoch,
        data: Array("{}".utf8)
      ).record
    ])
  }

  /// The next command.
  func command() async throws -> Message {
    guard let record = try await commands.next(atMost: 1).first else { throw TesterError("the log was closed") }
    return try Message(record)
  }

  /// Decides a command; returns the answer as it is written.
  @discardableResult
  func decide(
    _ command: Message, _ answer: JSON? = nil, isRepeat: Bool = false, epoch: Int64 = 1, content: String? = nil
  ) async throws -> [UInt8] {
    let number = sequence.withLock { sequence in
      sequence += 1
      return sequence
    }
    let answer =
      answer ?? ["status": "accepted", "receipt": .string("\(service)/0/\(number)"), "command": JSON(command.id)]
    let content =
      try content
      ?? Command.contentHash(
        type: command.type, workspace: command.workspace,
        canonicalData: JSON(parsing: command.data).canonicalBytes)
    let decision = Decision(
      command: command.id, commandType: command.type, workspace: command.workspace, content: content, offset: 0,
      isRepeat: isRepeat, eventCount: 0, answer: answer)
    try await writer.append([
      Message(
        id: .next(), source: "/test", type: Message.Kind.decided, time: .now(), workspace: command.workspace,
        causationID: command.id, sequence: number, epoch: epoch, data: decision.json.bytes
      ).record
    ])
    return answer.bytes
  }
}

extension Response {
  var bytes: [UInt8] {
    guard case .bytes(let bytes) = body else { return [] }
    return bytes
  }
  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }
  var code: String? { json["code"]?.string }
}
