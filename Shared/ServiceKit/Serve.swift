package import EventLog
import Foundation
import Messaging

/// What the executables of the services have in common: settings, the log, the group of services, exit statuses.
package enum Serve {
  /// Opens the log that the settings name.
  package typealias OpenLog = @Sendable (Settings, Logger) async throws -> any EventLog
  /// Makes the services of a process.
  package typealias Build = @Sendable (ServiceContext, Settings) async throws -> [any Service]

  /// Runs a process to its end and returns its exit status: 0 after a clean stop, 2 for wrong usage, 1 otherwise. What
  /// went wrong is one sentence on standard error.
  package static func main(
    _ process: String, arguments: [String] = Array(CommandLine.arguments.dropFirst()), openLog: OpenLog = noLog,
    build: Build
  ) async -> Int32 {
    do {
      if arguments.contains("--help") || arguments.contains("-h") {
        print("Runs the \(process) part of Daybook.\n\n  \(process) [flags]\n\n\(Settings.help(process))")
        return 0
      }
      try await run(process, Settings.parse(process, arguments), openLog, build)
      return 0
    } catch let error as UsageError {
      complain(process, "\(error)\nSee \(process) --help.")
      return 2
    } catch {
      complain(process, sentence(error))
      return 1
    }
  }

  private static func run(_ process: String, _ settings: Settings, _ openLog: OpenLog, _ build: Build) async throws {
    let logger = Logger(component: process, level: settings.logLevel)
    let log = try await openLog(settings, logger)
    let context = ServiceContext(
      log: log, data: settings.data, partitionCount: settings.partitionCount, partitions: settings.partitions,
      logger: logger)
    do {
      try await ServiceGroup(build(context, settings), logger: logger).run()
    } catch {
      await log.close()
      throw error
    }
    await log.close()
  }

  /// Until a log of several processes is at hand, a part of Daybook cannot run by itself.
  package static let noLog: OpenLog = { settings, _ in
    throw StartupError(
      settings.kafka == nil
        ? "the embedded log lives in one process, so a part of Daybook cannot run beside it; run everything with "
          + "\"daybook up\""
        : "this build has no Kafka; run everything in one process with \"daybook up\"")
  }

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
