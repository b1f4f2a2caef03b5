import Foundation
import Messaging

/// The settings of a process that serves: flags over `DAYBOOK_*` variables over defaults.
package struct Settings: Sendable, Equatable {
  /// `HOST:PORT` of a Kafka broker; nil for the embedded log, which lives in one process only.
  package var kafka: String?
  /// A file with settings of the Kafka client: TLS, SASL, the password.
  package var kafkaConfig: String?
  /// Whether records may go to another host unencrypted.
  package var kafkaPlaintext = false
  /// Of topics that are made; nil: the broker's own default.
  package var replicationFactor: Int?
  package var minInsyncReplicas: Int?
  package var data: String
  /// Which ones an owner's process owns; nil: all.
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
    /// Whether it stands alone; its variable is `true` or `false`.
    var isFlag = false
    let take: @Sendable (inout Settings, String) -> String?
    /// `DAYBOOK_PARTITION_COUNT` for `partition-count`.
    var variable: String { "DAYBOOK_" + flag.uppercased().replacing("-", with: "_") }
  }

  private static func options(_ process: String) -> [Option] {
    var options = kafkaOptions
    options.append(
      Option(flag: "data", value: "DIR", help: "the data directory") {
        $0.data = $1
        return $1.isEmpty ? "must not be empty" : nil
      })
    if ServiceContext.owners.contains(process) {
      options.append(
        Option(flag: "partitions", value: "FIRST-LAST", help: "the partitions of this process (default: all)") {
          $0.partitions = range($1)
          return $0.partitions == nil ? "must be a number or a range such as 0-1" : nil
        })
    }
    options += [
      Option(flag: "partition-count", value: "N", help: "the installation's number of partitions (default 4)") {
        number($1, 1...1024, \.partitionCount, &$0)
      },
      Option(flag: "host", value: "ADDRESS", help: "the address to bind (default 127.0.0.1)") {
        $0.host = $1
        return $1.isEmpty ? "must not be empty" : nil
      },
      Option(flag: "port", value: "N", help: "the port to bind (default \(ports[process] ?? 8080); 0: any free one)") {
        number($1, 0...65535, \.port, &$0)
      },
      Option(flag: "log-level", value: "LEVEL", help: "debug, info, notice, warning or error (default notice)") {
        guard let level = Logger.Level($1) else { return "must be debug, info, notice, warning or error" }
        $0.logLevel = level
        return nil
      },
    ]
    guard process == "gateway" else { return options }
    return options + [
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

  private static let kafkaOptions = [
    Option(flag: "kafka", value: "HOST:PORT", help: "the Kafka broker that holds the log; several with commas") {
      $0.kafka = $1
      return $1.isEmpty ? "must not be empty" : nil
    },
    Option(flag: "kafka-config", value: "FILE", help: "settings of the Kafka client: TLS, SASL, the password") {
      $0.kafkaConfig = $1
      return $1.isEmpty ? "must not be empty" : nil
    },
    Option(flag: "kafka-plaintext", value: "", help: "allow records to go to another host unencrypted", isFlag: true) {
      guard let isSet = ["": true, "true": true, "1": true, "false": false, "0": false][$1] else {
        return "must be true or false"
      }
      $0.kafkaPlaintext = isSet
      return nil
    },
    Option(flag: "replication-factor", value: "N", help: "of topics that are made (default: the broker's)") {
      number($1, 1...100, \.replicationFactor, &$0)
    },
    Option(flag: "min-insync-replicas", value: "N", help: "of topics that are made (default: the broker's)") {
      number($1, 1...100, \.minInsyncReplicas, &$0)
    },
  ]

  private static func number<N>(
    _ text: String, _ range: ClosedRange<Int>, _ field: WritableKeyPath<Settings, N>, _ settings: inout Settings
  ) -> String? {
    guard let number = Int(text), range.contains(number), let value = number as? N else {
      return "must be a number from \(range.lowerBound) to \(range.upperBound)"
    }
    settings[keyPath: field] = value
    return nil
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
      guard !option.isFlag || parts.count == 1 else {
        throw UsageError("--\(option.flag) is a flag and takes no value")
      }
      guard let value = option.isFlag ? "" : parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
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
