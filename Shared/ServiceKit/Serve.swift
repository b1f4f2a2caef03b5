package import EventLog
import Foundation
package import HTTP
import KafkaLog
import Messaging

/// What the executables of the services have in common: settings, the log, the group of services, exit statuses.
package enum Serve {
  /// Opens the log that the settings name.
  package typealias OpenLog = @Sendable (Settings, Logger) async throws -> any EventLog
  /// Makes what a process does.
  package typealias Build = @Sendable (ServiceContext, Settings) async throws -> Part

  /// What a process does: its services in the order of their start, and what answers its requests.
  package struct Part: Sendable {
    package let services: [any Service]
    package let handler: Handler

    package init(_ services: [any Service], handler: @escaping Handler) {
      self.services = services
      self.handler = handler
    }

    /// Answers by the operations routes, and with them by those of `router`.
    package init(_ services: [any Service], router: Router = Router(), _ context: ServiceContext, _ settings: Settings)
    {
      var all = Router.operations(context.health, context.metrics)
      all.add(router)
      self.init(services, handler: BrowserGuard(checksHost: BrowserGuard.isLoopback(settings.host)).wrap(all))
    }
  }

  /// Runs a process to its end and returns its exit status: 0 after a clean stop, 2 for wrong usage, 1 otherwise. What
  /// went wrong is one sentence on standard error. `check` looks at the settings before anything is begun.
  package static func main(
    _ process: String, arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    environment: [String: String] = ProcessInfo.processInfo.environment, openLog: @escaping OpenLog = openKafka,
    check: @escaping @Sendable (Settings) throws -> Void = { _ in }, build: @escaping Build
  ) async -> Int32 {
    do {
      if arguments.contains("--help") || arguments.contains("-h") {
        print("Runs the \(process) part of Daybook.\n\n  \(process) [flags]\n\n\(Settings.help(process))")
        return 0
      }
      let settings = try Settings.parse(process, arguments, environment: environment)
      guard settings.kafka != nil else { throw needsKafka }
      try check(settings)
      let logger = Logger(component: process, level: settings.logLevel)
      let running = PartProcess(process, settings, logger: logger, openLog: openLog, build: build)
      // The group within tells what happens; this one only brings the signals.
      try await ServiceGroup([running], logger: .silent).run()
      return 0
    } catch let error as UsageError {
      complain(process, "\(error)\nSee \(process) --help.")
      return 2
    } catch let error as KafkaSettingsError {
      complain(process, "\(error)")
      return 2
    } catch {
      complain(process, sentence(error))
      return 1
    }
  }

  /// The log of the broker that the settings name. What is wrong with the settings of its topics is logged.
  package static let openKafka: OpenLog = { settings, logger in
    let kafka = try KafkaSettings.read(
      servers: settings.kafka ?? "", configFile: settings.kafkaConfig, allowPlaintext: settings.kafkaPlaintext,
      environment: ProcessInfo.processInfo.environment)
    let topics = TopicSettings(
      replicationFactor: settings.replicationFactor, minInsyncReplicas: settings.minInsyncReplicas)
    return try await KafkaLog.open(
      kafka, topics: topics, clientID: "daybook", patience: .seconds(3),
      report: { sentence in logger.log(.warning, sentence) })
  }

  /// Without a log of several processes, a part of Daybook cannot run by itself.
  package static let needsKafka = StartupError(
    "the embedded log lives in one process, so a part of Daybook cannot run beside it; run everything with "
      + "\"daybook up\", or name the Kafka broker that holds the log with --kafka HOST:PORT")

  /// The one sentence for an error, without Swift's wrapping.
  package static func sentence(_ error: any Error) -> String {
    if let problem = error as? Problem { return problem.detail }
    return "\(error)"
  }

  private static func complain(_ process: String, _ text: String) {
    let line = Array("\(process): \(text)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
