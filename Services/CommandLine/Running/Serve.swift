import Messaging
import ServiceKit

extension Commands {
  /// The parts that can run alone.
  private static let parts = ["library", "visitorlog", "tasks", "projection", "audit", "gateway"]

  static let serve = CommandNode(
    name: "serve", summary: "Runs one part alone, on a log that several processes share",
    discussion: """
      PART is one of \(parts.joined(separator: ", ")). Needs --kafka: the embedded log lives in one process, which is
      what "daybook up" runs.
      """,
    examples: ["daybook serve tasks --kafka broker:9092 --partitions 0-1"], section: running,
    arguments: [Argument(name: "PART", choices: parts, help: parts.joined(separator: ", "))],
    options: [
      KafkaOptions.servers, KafkaOptions.config, KafkaOptions.plaintext,
    ] + KafkaOptions.topics + [
      DataFolder.option,
      .value("partitions", "FIRST-LAST", setting: true, "an owner: the partitions of this process (default: all)"),
      .value("partition-count", "N", setting: true, "the installation's number of partitions (default 4)"),
      .value("host", "ADDRESS", setting: true, "the address to bind (default 127.0.0.1)"),
      .value("port", "N", setting: true, "the port to bind (default 8080 to 8085, a part each)"),
      .value("projection", "URL", setting: true, "gateway: where reads are forwarded to"),
      .value("audit", "URL", setting: true, "gateway: where history is forwarded to"),
      .value(
        "log-level", "LEVEL", choices: Logger.Level.allCases.map { "\($0)" }, setting: true,
        "what is logged to standard error (default notice)"),
    ],
    run: { invocation in
      let part = invocation.arguments[0]
      guard parts.contains(part) else {
        throw Failure.usage("there is no part \"\(part)\"\(Nearest.hint(part, parts))")
      }
      // Variables are read by the part itself, which takes only its own.
      let flags = invocation.node.options.filter { invocation.isTyped($0.name) }.flatMap { option in
        option.value == nil ? ["--\(option.name)"] : ["--\(option.name)", invocation.value(option.name) ?? ""]
      }
      // The sentence that says so, before anything is begun.
      let environment = invocation.console.environment
      if try Settings.parse(part, flags, environment: environment).kafka == nil { throw Serve.needsKafka }
      let status = await Composition.serve(part, flags, environment: environment)
      if let failed = Failure.Status(rawValue: status) { throw Failure(status: failed, message: "") }
    })
}
