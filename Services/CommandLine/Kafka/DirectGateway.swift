import EventLog
import GatewayService
import HTTP
import Messaging
import ServiceKit

/// Takes commands straight to the log and answers as the gateway does, because it is the gateway: one in this process
/// for each partition that is written to, made with the first command.
///
/// It reads the partition up to its end before it produces, so that it knows which owner's records count: from where
/// the server's audit is, where a server is named, else from the beginning.
actor DirectGateway {
  /// Opens the log.
  typealias Open = @Sendable () async throws -> any EventLog

  private struct Door {
    let handler: Handler
    let task: Task<Void, any Error>
  }
  private let open: Open
  /// Answers `/v1/positions`, as the audit does.
  private let audit: Handler
  private let wait: Duration
  /// Those under way too: commands that come meanwhile wait for the same one.
  private var doors: [ServicePartition: Task<Door, any Error>] = [:]

  /// `wait`: how long a command waits for its decision.
  init(wait: Duration, audit: @escaping Handler, open: @escaping Open) {
    self.wait = wait
    self.audit = audit
    self.open = open
  }

  /// `POST /v1/commands`. Throws a `Failure` where the log cannot be used.
  nonisolated func send(_ request: Request, type: String, workspace: String) async throws -> Response {
    let service = String(type.prefix { $0 != "." })
    guard ServiceContext.owners.contains(service) else {
      // The sentence is the gateway's.
      return await gateway(NoLog(), ServicePartition(ServiceContext.owners[0], 0), 1).router.handle(request)
    }
    let door = try await door(service, workspace)
    return await door.handler(request)
  }

  private func door(_ service: String, _ workspace: String) async throws -> Door {
    let log = try await open()
    guard let count = try await log.partitions(of: Topic.commands(service)) else {
      throw Failure.refused("the log has no topic \(Topic.commands(service)); start the \(service) service first")
    }
    let partition = ServicePartition(service, Workspace.partition(of: workspace, count: count))
    if let known = doors[partition] { return try await known.value }
    let opening = Task { try await self.make(log, partition, count) }
    doors[partition] = opening
    return try await opening.value
  }

  private nonisolated func gateway(_ log: any EventLog, _ partition: ServicePartition, _ count: Int) -> GatewayService {
    var options = GatewayService.Options()
    options.wait = wait
    options.partitions = [partition]
    options.source = "/daybook/client"
    // Tokens let people in at a door of HTTP; here the broker lets in or not.
    let context = ServiceContext(log: log, data: "/dev/null", partitionCount: count, logger: .silent)
    let nothing: Handler = { .problem(Problem.notFound("page", $0.path)) }
    return GatewayService(context, options: options, projection: nothing, audit: audit)
  }

  private nonisolated func make(_ log: any EventLog, _ partition: ServicePartition, _ count: Int) async throws -> Door {
    let gateway = gateway(log, partition, count)
    try await gateway.prepare()
    let task = Task { try await gateway.run() }
    if let why = await gateway.readiness() {
      task.cancel()
      throw Failure.unreachable(why)
    }
    return Door(handler: gateway.router.handle, task: task)
  }

  /// Ends all; commands that still wait are told that they are not decided.
  func close() async {
    for door in doors.values {
      guard let door = try? await door.value else { continue }
      door.task.cancel()
      _ = try? await door.task.value
    }
    doors = [:]
  }
}
