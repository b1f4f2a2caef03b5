import EventLog
import HTTP
import Messaging
import Synchronization

/// One part of Daybook as a process of its own. Its port answers from the start; while the log cannot be reached it
/// waits, not ready, and says so, because containers and brokers start in any order. What waiting does not mend (a
/// refused password, another number of partitions) ends it.
final class PartProcess: Service {
  let name: String
  private let settings: Settings
  private let logger: Logger
  private let openLog: Serve.OpenLog
  private let build: Serve.Build
  private let health = Health()
  private let metrics = Metrics()
  private let pause: @Sendable (_ attempt: Int) async throws -> Void
  /// A bare closure inside a `Mutex` is wrapped once more at every access.
  private struct Answering {
    let handle: Handler
  }
  private let answering = Mutex<Answering?>(nil)

  /// `pause` waits before the log is tried again.
  init(
    _ name: String, _ settings: Settings, logger: Logger, openLog: @escaping Serve.OpenLog,
    build: @escaping Serve.Build,
    pause: @escaping @Sendable (_ attempt: Int) async throws -> Void = { attempt in
      try await Task.sleep(for: .milliseconds(min(5000, 200 << min(attempt, 5))))
    }
  ) {
    self.name = name
    self.settings = settings
    self.logger = logger
    self.openLog = openLog
    self.build = build
    self.pause = pause
  }

  func run() async throws {
    health.set(Self.log, .starting("is asked for at \(settings.kafka ?? "")"))
    let http = server()
    try await http.prepare()
    do {
      let log = try await reachLog()
      do {
        try await run(http, log)
      } catch {
        await close(log)
        throw error
      }
      await close(log)
    } catch {
      await http.conclude()
      if !(error is CancellationError) { throw error }
    }
  }

  private static let log = "log"
  /// Together well below the five seconds within which a process has stopped, also where no broker answers.
  private static let stopping = Duration.milliseconds(2700)
  private static let closing = Duration.milliseconds(700)

  /// Answers for itself alone until all is built.
  private func server() -> HTTPService {
    let waiting = Router.health(health)
    return HTTPService(
      name, host: settings.host, port: settings.port, metrics: metrics, logger: logger,
      handler: { [self] request in
        guard let answering = answering.withLock({ $0 }) else {
          guard request.path.hasPrefix("/v1/") else { return await waiting.handle(request) }
          return .problem(
            Problem(code: "starting", status: 503, detail: "The \(name) waits for its log; ask again shortly."))
        }
        return await answering.handle(request)
      })
  }

  /// Tries until it answers. Throws what waiting does not mend.
  private func reachLog() async throws -> any EventLog {
    let trouble = TroubleLog(logger)
    var attempt = 0
    while true {
      do {
        let log = try await openLog(settings, logger)
        do throws(LogError) {
          try await checkPartitionCount(log)
        } catch {
          await close(log)
          throw error
        }
        health.set(Self.log, .ready)
        trouble.over("the log answers")
        return log
      } catch let error as LogError where error.isPassing {
        try Task.checkCancellation()
        health.set(Self.log, .notReady("waits for the log: \(error)"))
        trouble.met(.warning, "waits for the log: \(error)")
      }
      try await pause(attempt)
      attempt += 1
    }
  }

  /// Those that this part reads or writes: it may have no rights on others.
  private var topics: [String] {
    let isOwner = ServiceContext.owners.contains(name)
    return (isOwner ? [name] : ServiceContext.owners).flatMap { service in
      isOwner || name == "gateway" ? [Topic.commands(service), Topic.events(service)] : [Topic.events(service)]
    }
  }

  /// With another count, workspaces would be looked for where they are not.
  private func checkPartitionCount(_ log: any EventLog) async throws(LogError) {
    for topic in topics {
      guard let found = try await log.partitions(of: topic), found != settings.partitionCount else { continue }
      throw .partitionCount(topic: topic, found: found, wanted: settings.partitionCount)
    }
  }

  private func run(_ http: HTTPService, _ log: any EventLog) async throws {
    let lag = LagReport { group, positions in await log.writeGroupOffset(group: group, positions) }
    let context = ServiceContext(
      log: log, data: settings.data, partitionCount: settings.partitionCount, partitions: settings.partitions,
      health: health, metrics: metrics, logger: logger, lag: lag)
    let troubles = TroubleLog(logger)
    health.addProbe { [health] in
      if let trouble = log.trouble {
        health.set(Self.log, .notReady(trouble))
        troubles.met(.warning, trouble)
      } else {
        health.set(Self.log, .ready)
        troubles.over("the log answers again")
      }
    }
    let part = try await build(context, settings)
    answering.withLock { $0 = Answering(handle: part.handler) }
    try await ServiceGroup(
      part.services + [Prepared(http)], logger: logger, signals: false, patience: Self.stopping
    ).run()
  }

  /// Bounded: what the broker does not take by then, nobody was told of.
  private func close(_ log: any EventLog) async {
    if !(await within(Self.closing) { await log.close() }) {
      logger.log(.warning, "the log did not close in time and is left behind")
    }
  }
}
