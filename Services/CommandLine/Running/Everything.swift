import AuditService
import EventLog
import GatewayService
import HTTP
import LibraryService
import Messaging
import ProjectionService
import ServiceKit
import Synchronization
import TasksService
import VisitorLogService

/// All of Daybook in one process, built with the same build functions as its parts run alone.
final class Everything: Sendable {
  let health = Health()
  private let options: UpOptions
  private let logger: Logger
  private let signals: Bool
  private let metrics = Metrics()
  /// What answers once everything is built. In a struct of its own: a bare closure inside a `Mutex` is wrapped once
  /// more at every access, so that each request would be slower than the one before.
  private struct Answering {
    let handle: Handler
  }
  private let answering = Mutex<Answering?>(nil)

  /// `signals` false leaves the process's signals alone.
  init(_ options: UpOptions, logger: Logger, signals: Bool = true) {
    self.options = options
    self.logger = logger
    self.signals = signals
  }

  /// Runs until the process is told to stop or the task is cancelled. Everything is checked (the port, the folder, every
  /// file) before any of it begins to work, so what is refused stays as it is. `ready` gets the address.
  func run(ready: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
    let http = server()
    try await http.prepare()
    do {
      // Before the folder is made: what is refused leaves nothing behind.
      try GatewayService.checkStart(data: options.data.path, host: options.host)
      if options.isReadOnly {
        try await run(http, readOnly(), ready)
      } else {
        try await runWithLog(http, ready)
      }
    } catch {
      await http.conclude()
      throw error
    }
  }

  private func runWithLog(
    _ http: HTTPService, _ ready: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    try options.data.prepare()
    let log = try EmbeddedLog(directory: options.data.logFolder, holder: "daybook up")
    do {
      health.addProbe { [health] in
        if let trouble = log.trouble {
          health.set("log", .notReady(trouble))
        } else if health.state(of: "log") != nil {
          health.set("log", .ready)
        }
      }
      let known = try await log.partitions(of: Topic.events(ServiceContext.owners[0]))
      let count = options.partitionCount ?? known ?? 4
      try options.data.check(Installation(logID: log.id, partitionCount: count))
      try await run(http, everything(context(log, partitionCount: count)), ready)
    } catch {
      await log.close()
      throw error
    }
    await log.close()
  }

  private func context(_ log: any EventLog, partitionCount: Int) -> ServiceContext {
    ServiceContext(
      log: log, data: options.data.path, partitionCount: partitionCount, health: health, metrics: metrics,
      logger: logger)
  }

  /// The services in the order of their start, and what answers requests.
  private typealias Built = (services: [any Service], handler: Handler)

  private func everything(_ context: ServiceContext) -> Built {
    let projection = ProjectionService(context)
    let audit = AuditService(context)
    var options = GatewayService.Options()
    options.host = self.options.host
    let gateway = GatewayService(
      context, options: options, projection: projection.router.handle, audit: audit.router.handle)
    return (Composition.owners(context) + [projection, audit, gateway], gateway.handler)
  }

  /// Reads of a read model that nobody writes.
  private func readOnly() -> Built {
    let projection = ProjectionService(readOnly: options.data.path, health: health, logger: logger)
    var options = GatewayService.Options()
    options.host = self.options.host
    options.isReadOnly = true
    let gateway = GatewayService(
      context(NoLog(), partitionCount: 1), options: options, projection: projection.router.handle,
      audit: { _ in
        .problem(Problem(code: "read-only", status: 404, detail: "This is a read model only; it has no history."))
      })
    return ([projection, gateway], gateway.handler)
  }

  private func run(
    _ http: HTTPService, _ built: Built, _ ready: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    let everything = Preparation(built.services) { [self] in
      answering.withLock { $0 = Answering(handle: built.handler) }
    }
    let announcer = Announcer(health) { try await ready(http.url ?? "") }
    let services: [any Service] = [everything] + built.services + [Prepared(http), announcer]
    try await ServiceGroup(services, logger: logger, signals: signals).run()
  }

  /// Answers 503 until everything is built.
  private func server() -> HTTPService {
    HTTPService(
      "up", host: options.host, port: options.port, metrics: metrics, logger: logger,
      handler: { [self] request in
        guard let answering = answering.withLock({ $0 }) else {
          return .problem(Problem(code: "starting", status: 503, detail: "Daybook is starting; try again."))
        }
        return await answering.handle(request)
      })
  }
}

/// Prepares all before any runs; where one refuses, the others are put in order again.
private struct Preparation: Service {
  let name = "preparation"
  private let services: [any Service]
  private let done: @Sendable () -> Void

  init(_ services: [any Service], _ done: @escaping @Sendable () -> Void) {
    self.services = services
    self.done = done
  }

  func prepare() async throws {
    var prepared: [any Service] = []
    do {
      for service in services {
        try await service.prepare()
        prepared.append(service)
      }
    } catch {
      for service in prepared.reversed() { await service.conclude() }
      throw error
    }
    done()
  }

  func run() async throws { await untilCancelled() }
}

/// Says once that everything is ready.
private struct Announcer: Service {
  let name = "announcer"
  private let health: Health
  private let ready: @Sendable () async throws -> Void

  init(_ health: Health, _ ready: @escaping @Sendable () async throws -> Void) {
    self.health = health
    self.ready = ready
  }

  func run() async throws {
    await health.settled()
    if !Task.isCancelled { try await ready() }
    await untilCancelled()
  }
}
