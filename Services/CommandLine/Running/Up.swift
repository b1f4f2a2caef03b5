import Foundation
import Messaging
import ServiceKit

extension Commands {
  static let up = CommandNode(
    name: "up", synonyms: ["start", "run"], summary: "Runs everything in one process, on the embedded log",
    discussion: """
      Library, visitor log, task list, read model, history and HTTP in one process, which keeps everything in one
      folder. It prints one line with its address when it is ready, and ends on Ctrl-C or SIGTERM.
      """,
    examples: [
      "daybook up", "daybook up --data ./book --port 9000", "daybook up --memory --sample",
      "daybook up --read-only --data noon",
    ],
    section: running,
    options: [
      DataFolder.option,
      .value("port", "N", setting: true, "the port (default 8080; 0: any free one)"),
      .value("host", "ADDRESS", setting: true, "the address to bind (default 127.0.0.1; any other needs tokens)"),
      .flag("sample", "fill it with a household, by ordinary commands; again changes nothing"),
      .flag("memory", "keep everything in memory only, and forget it at the end"),
      .flag("read-only", "only answer reads, from a read model that replay --into made"),
      .value(
        "partition-count", "N", setting: true,
        "into how many partitions it is cut, fixed at the first start (default 4)"),
      .value(
        "log-level", "LEVEL", choices: Logger.Level.allCases.map { "\($0)" }, setting: true,
        "what is logged to standard error (default notice)"),
    ],
    run: { invocation in
      let console = invocation.console
      let options = try UpOptions(invocation)
      let logger = Logger(component: "up", level: options.logLevel, write: console.standardError)
      let isFresh = invocation.has("memory")
      defer { if isFresh { try? FileManager.default.removeItem(atPath: options.data.path) } }
      let everything = Everything(options, logger: logger)
      try await everything.run { [health = everything.health] url in
        if options.isSample { try await Sample().send(to: API(server: url)) }
        let place = isFresh ? "nothing is kept" : "data in \(options.data.path)"
        let waiting = health.components.filter { $0.state != .ready }
        console.print(
          waiting.isEmpty
            ? "daybook is ready at \(url) (\(place))" : "daybook is up at \(url), but not all of it works (\(place))")
        for (name, state) in waiting {
          // A line for people on a terminal; elsewhere standard error is the log, one document a line.
          if console.errorIsTerminal {
            console.say("daybook: \(name) is not ready: \(state.detail ?? "")")
          } else {
            logger.log(.error, "part not ready", ["part": .string(name), "detail": .string(state.detail ?? "")])
          }
        }
      }
    })
}

/// What `up` was asked for.
struct UpOptions: Sendable {
  var data: DataFolder
  var host = "127.0.0.1"
  var port = 8080
  var isSample = false
  var isReadOnly = false
  /// Nil: what the log has, or the default for a new one.
  var partitionCount: Int?
  var logLevel = Logger.Level.notice

  init(data: DataFolder) { self.data = data }

  init(_ invocation: Invocation) throws {
    let isMemory = invocation.has("memory")
    isReadOnly = invocation.has("read-only")
    isSample = invocation.has("sample")
    guard !(isReadOnly && (isSample || isMemory)) else {
      throw Failure.usage("--read-only takes neither --sample nor --memory")
    }
    guard !(isMemory && invocation.isTyped("data")) else {
      throw Failure.usage("--memory and --data exclude one another: one keeps nothing, the other everything")
    }
    guard !(isReadOnly && invocation.isTyped("partition-count")) else {
      throw Failure.usage("--read-only takes no --partition-count: the read model has its own")
    }
    guard !invocation.isTyped("kafka") else {
      throw Failure.usage("up runs on the embedded log; on Kafka each part runs alone, with \"daybook serve\"")
    }
    port = try invocation.integer("port", in: 0...65535) ?? port
    host = invocation.value("host") ?? host
    partitionCount = try invocation.integer("partition-count", in: 1...1024)
    logLevel = invocation.value("log-level").flatMap(Logger.Level.init) ?? logLevel
    // The variable DAYBOOK_DATA may well be set; only both flags together contradict one another.
    data = isMemory ? try DataFolder.temporary() : try DataFolder(invocation)
  }
}
