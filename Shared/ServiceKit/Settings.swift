import Foundation
import Messaging

/// The settings of a process that serves: flags over `DAYBOOK_*` variables over defaults.
package struct Settings: Sendable, Equatable {
  /// `HOST:PORT` of a Kafka broker; nil for the embedded log, which lives in one process only.
  package var kafka: String?
  package var data: String
  /// Nil: all.
  package var partitions: ClosedRange<Int>?
  package var partitionCount = 4
  package var host = "127.0.0.1"
  /// 0 for any free port.
  package var port: Int
  /// Where the gateway forwards reads to.
  package var projection = "http://127.0.0.1:8084"
  /// Where the gateway forwards history to.
  package var audit = "http://127.0.0.1:8085"
  package var logLevel = Logger.Level.notice

  package init(data: String, port: Int) {
    self.data = data
    self.port = port
  }

  /// The port of each process where nothing else is said.
  package static let ports = [
    "gateway": 8080, "library": 8081, "visitorlog": 8082, "tasks": 8083, "projection": 8084, "audit": 8085,
  ]

  /// `$XDG_DATA_HOME/daybook`, else `~/.local/share/daybook`, else `daybook-data` in the working directory.
  package static func defaultData(_ environment: [String: String]) -> String {
    if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") { return folder + "/daybook" }
    if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/share/daybook" }
    return "daybook-data"
  }

  /// One setting: the flag without its dashes, the value's name, what it is, and how it is taken.
  private struct Option {
    let flag: String
    let value: String
    let help: String
    let take: @Sendable (inout Settings, String) -> String?
    /// `DAYBOOK_PARTITION_COUNT` for `partition-count`.
    var variable: String { "DAYBOOK_" + flag.uppercased().replacing("-", with: "_") }
  }

  private static func options(_ process: String) -> [Option] {
    let everywhere = [
      Option(flag: "kafka", value: "HOST:PORT", help: "the Kafka broker that holds the log") {
        $0.kafka = $1
        return $1.isEmpty ? "must not be empty" : nil
      },
      Option(flag: "data", value: "DIR", help: "the data directory") {
        $0.data = $1
        return $1.isEmpty ? "must not be empty" : nil
      },
      Option(flag: "partitions", value: "FIRST-LAST", help: "the partitions of this process (default: all)") {
        $0.partitions = range($1)
        return $0.partitions == nil ? "must be a number or a range such as 0-1" : nil
      },
      Option(flag: "partition-count", value: "N", help: "the installation's number of partitions (default 4)") {
        guard let count = Int($1), (1...1024).contains(count) else { return "must be a number from 1 to 1024" }
        $0.partitionCount = count
        return nil
      },
      Option(flag: "host", value: "ADDRESS", help: "the address to bind (default 127.0.0.1)") {
        $0.host = $1
        return $1.isEmpty ? "must not be empty" : nil
      },
      Option(flag: "port", value: "N", help: "the port to bind (default \(ports[process] ?? 8080); 0: any free one)") {
        guard let port = Int($1), (0...65535).contains(port) else { return "must be a number from 0 to 65535" }
        $0.port = port
        return nil
      },
      Option(flag: "log-level", value: "LEVEL", help: "debug, info, notice, warning or error (default notice)") {
        guard let level = Logger.Level($1) else { return "must be debug, info, notice, warning or error" }
        $0.logLevel = level
        return nil
      },
    ]
    guard process == "gateway" else { return everywhere }
    return everywhere + [
      Option(flag: "projection", value: "URL", help: "where reads are forwarded to (default http://127.0.0.1:8084)") {
        $0.projection = $1
        return $1.hasPrefix("http://") ? nil : "must be an http:// URL"
      },
      Option(flag: "audit", value: "URL", help: "where history is forwarded to (default http://127.0.0.1:8085)") {
        $0.audit = $1
        return $1.hasPrefix("http://") ? nil : "must be an http:// URL"
      },
    ]
  }

  private static func range(_ text: String) -> ClosedRange<Int>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first >= 0, first <= last
    else { return nil }
    return first...last
  }

  /// The lines that `--help` prints.
  package static func help(_ process: String) -> String {
    let options = options(process)
    let width = options.map { $0.flag.count + $0.value.count + 3 }.max() ?? 0
    return options.map { option in
      "  " + "--\(option.flag) \(option.value)".padding(toLength: width + 2, withPad: " ", startingAt: 0)
        + "\(option.help) [\(option.variable)]"
    }.joined(separator: "\n")
  }

  /// Reads flags (`--port 1` or `--port=1`) and variables. Throws a `UsageError` that names what is wrong, and the
  /// nearest flag for an unknown one.
  package static func parse(
    _ process: String, _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UsageError) -> Settings {
    var settings = Settings(data: defaultData(environment), port: ports[process] ?? 8080)
    let options = options(process)
    for option in options {
      guard let value = environment[option.variable], !value.isEmpty else { continue }
      if let wrong = option.take(&settings, value) { throw UsageError("\(option.variable) \(wrong), not \(value)") }
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard argument.hasPrefix("--") else { throw UsageError("\(process) takes no argument \(argument)") }
      guard let option = options.first(where: { "--" + $0.flag == parts[0] }) else {
        let near = Text.nearest(to: String(parts[0].dropFirst(2)), among: options.map(\.flag))
        throw UsageError("\(process) has no flag \(parts[0])" + (near.map { "; did you mean --\($0)?" } ?? ""))
      }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw UsageError("--\(option.flag) needs a value: \(option.value)")
      }
      if let wrong = option.take(&settings, value) { throw UsageError("--\(option.flag) \(wrong), not \(value)") }
    }
    if let partitions = settings.partitions, partitions.upperBound >= settings.partitionCount {
      throw UsageError(
        "partition \(partitions.upperBound) does not exist: there are \(settings.partitionCount), from 0 to "
          + "\(settings.partitionCount - 1)")
    }
    return settings
  }
}

/// Wrong usage of a command line, in one plain sentence: exit status 2.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
