import EventLog
import KafkaLog
import Messaging
import ServiceKit

extension Commands {
  static let topics = CommandNode(
    name: "topics", summary: "Makes the topics of Kafka, or checks their settings",
    discussion: """
      Every service makes its own topics where they are missing; make them first where they need settings of their own.
      The number of partitions is one for the installation, and cannot be changed later.
      """,
    section: running, children: [createTopics, checkTopics])

  private static let options: [Option] =
    [.value("partition-count", "N", setting: true, "how many partitions each has (default 4)")] + KafkaOptions.topics

  private static let createTopics = CommandNode(
    name: "create", synonyms: ["make"], summary: "Makes the topics that are missing; changes none that is there",
    examples: ["daybook topics create --kafka broker:9092 --replication-factor 3 --min-insync-replicas 2"],
    options: options,
    run: { invocation in
      try await withTopics(invocation) { log, console in
        var missing: [String] = []
        for topic in all where try await log.partitions(of: topic) == nil { missing.append(topic) }
        try await create(log, partitions: try invocation.integer("partition-count", in: 1...1024) ?? 4)
        for topic in missing { console.print("Made \(topic)") }
        if missing.isEmpty { console.say("All topics are there already.") }
        return try await complaints(log, invocation)
      }
    })

  private static let checkTopics = CommandNode(
    name: "check", summary: "Tells which topics are missing or set up otherwise than Daybook needs; changes nothing",
    examples: ["daybook topics check --kafka broker:9092"], options: options,
    run: { invocation in
      try await withTopics(invocation) { log, console in
        let complaints = try await complaints(log, invocation)
        if complaints.isEmpty { console.print("All topics are as they should be.") }
        return complaints
      }
    })

  private static var all: [String] { ServiceContext.owners.flatMap { [Topic.commands($0), Topic.events($0)] } }

  private static func create(_ log: KafkaLog, partitions: Int) async throws {
    do {
      try await log.create(all, partitions: partitions)
    } catch {
      guard case .partitionCount(let topic, let found, let wanted) = error else { throw error }
      throw Failure.refused(
        "topic \(topic) has \(found) partitions, not \(wanted), and their number cannot be changed without losing which "
          + "workspace is where; use --partition-count \(found), or another Kafka for a new installation")
    }
  }

  private static func complaints(_ log: KafkaLog, _ invocation: Invocation) async throws -> [String] {
    var count = try invocation.integer("partition-count", in: 1...1024)
    for topic in all where count == nil { count = try await log.partitions(of: topic) }
    return try await log.check(all, partitions: count ?? 4)
  }

  /// What the body complains of is told, and refuses.
  private static func withTopics(
    _ invocation: Invocation, _ body: (KafkaLog, Console) async throws -> [String]
  ) async throws {
    _ = try Context.mode(invocation)
    guard let kafka = try ClientLog(invocation) else {
      throw Failure.usage("name the Kafka whose topics are meant with --kafka HOST:PORT")
    }
    let log = try await kafka.open()
    do {
      let complaints = try await body(log, invocation.console)
      await kafka.close()
      guard complaints.isEmpty else { throw Failure.refused(complaints.joined(separator: "\n")) }
    } catch {
      await kafka.close()
      throw error
    }
  }
}
