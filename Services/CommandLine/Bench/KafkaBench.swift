import EventLog
import Foundation
import KafkaLog
import Messaging
import ServiceKit

/// The benchmark on a broker that holds nothing of Daybook: it makes the topics, and removes them with all that is in
/// them.
struct KafkaBench {
  let log: KafkaLog
  let servers: String
  /// Flags of the parts that run as processes of their own.
  let flags: [String]
  /// Items in the log.
  let count: Int
  let folder: String
  /// Tells what it is doing.
  let say: @Sendable (String) -> Void

  private static let partitionCount = 4
  private static let floorTopic = TopicPartition("daybook.bench.floor", 0)
  private static let topics = ServiceContext.owners.flatMap { [Topic.commands($0), Topic.events($0)] }
  /// Records that a floor of producing holds in memory.
  private static let most = 100_000

  func run() async throws -> [Figure] {
    for topic in Self.topics + [Self.floorTopic.topic] where try await log.partitions(of: topic) != nil {
      throw Failure.refused(
        "Kafka at \(servers) holds the topic \(topic) already; the benchmark makes and deletes topics of that name, so run "
          + "it on a broker without any")
    }
    do {
      try await log.create(Self.topics, partitions: Self.partitionCount)
      try await log.create([Self.floorTopic.topic], partitions: 1)
      let figures = try await measure()
      try await removeTopics()
      return figures
    } catch {
      try? await removeTopics()
      throw error
    }
  }

  private func removeTopics() async throws { try await log.delete(Self.topics + [Self.floorTopic.topic]) }

  private func measure() async throws -> [Figure] {
    say("\(count) commands through Kafka and the owner")
    let load = try await CommandLoad(log, data: folder + "/commands")
    let many = Double(count) / (try await load.manyInFlight(count))
    say("1,000 commands a second for ten seconds")
    // What the run before left to be written to disk is not this one's to wait for.
    sync()
    let paced = try await load.paced(perSecond: 1000, count: 10_000)
    await load.stop()
    let floors = try await floors(load)
    return [
      Figure(
        name: "commands, many in flight", value: many, unit: "/s",
        floor: (min(floors.produce, floors.consume), "the same records by librdkafka alone, written or read"),
        goal: (
          "at least 5,000/s and 0.25 of the floor", many >= max(5000, 0.25 * min(floors.produce, floors.consume))
        )),
      Figure(name: "the same, written by librdkafka alone", value: floors.produce, unit: "/s"),
      Figure(name: "the same, read by librdkafka alone", value: floors.consume, unit: "/s"),
      Figure(
        name: "a command at 1,000/s, median", value: Figure.percentile(paced, 0.5) * 1000, unit: "ms",
        goal: ("at most 10 ms", Figure.percentile(paced, 0.5) <= 0.01)),
      Figure(name: "the same, 99th percentile", value: Figure.percentile(paced, 0.99) * 1000, unit: "ms"),
    ] + (try await catchingUp(load, floors.events))
  }

  private struct Floors {
    /// Commands a second: each with its command record, its events and its decision.
    let produce: Double
    let consume: Double
    /// Reading the event partition, records a second.
    let events: Double
  }

  private func floors(_ load: CommandLoad) async throws -> Floors {
    say("the same records by librdkafka alone")
    let bare = BareKafka(log)
    let commands = Int(try await log.bounds(of: load.commands).upperBound)
    let events = Int(try await log.bounds(of: load.events).upperBound)
    let eventsPerCommand = Double(events) / Double(commands)
    let readCommands = try await bare.consumeRate(load.commands, records: commands)
    let readEvents = try await bare.consumeRate(load.events, records: events)
    let wroteCommands = try await bare.produceRate(
      load.commands, to: Self.floorTopic, records: min(commands, Self.most))
    let wroteEvents = try await bare.produceRate(load.events, to: Self.floorTopic, records: min(events, Self.most))
    return Floors(
      produce: 1 / (1 / wroteCommands + eventsPerCommand / wroteEvents),
      consume: 1 / (1 / readCommands + eventsPerCommand / readEvents), events: readEvents)
  }

  /// What the backlog costs those that have read nothing of it yet.
  private func catchingUp(_ load: CommandLoad, _ floor: Double) async throws -> [Figure] {
    let records = Double(try await log.bounds(of: load.events).upperBound)
    let bare = (floor, "the same records read by librdkafka alone, keys, values and headers touched")
    say("reading \(Int(records)) records as a follower does, without folding them")
    let read = records / (try await readAll(load.events))
    say("a projection folds them")
    let part = PartBench(folder: folder, flags: flags)
    let projection = try await part.untilReady("projection")
    say("an owner builds its database from them")
    let owner = try await part.untilReady("tasks")
    return [
      Figure(name: "records read, envelopes parsed", value: read, unit: "records/s", floor: bare),
      Figure(
        name: "projection catching up", value: records / projection.seconds, unit: "records/s", floor: bare,
        goal: ("at least 0.3 of the floor", records / projection.seconds >= 0.3 * floor)),
      Figure(name: "owner building itself anew", value: records / owner.seconds, unit: "records/s", floor: bare),
      Figure(
        name: "projection, most resident memory over \(Int(records)) records", value: projection.mostMiB, unit: "MiB",
        goal: ("under 200 MiB", projection.mostMiB < 200)),
      Figure(
        name: "owner, the same", value: owner.mostMiB, unit: "MiB", goal: ("under 200 MiB", owner.mostMiB < 200)),
    ]
  }

  @concurrent
  private func readAll(_ partition: TopicPartition) async throws -> Double {
    let end = try await log.bounds(of: partition).upperBound
    let start = ContinuousClock.now
    let reader = try await log.reader(of: partition, from: 0)
    defer { reader.close() }
    var next: Int64 = 0
    while next < end {
      let records = try await reader.next(atMost: 1000).map(ReadRecord.init)
      guard let last = records.last, last.message != nil else { throw CancellationError() }
      next = last.offset + 1
    }
    return (ContinuousClock.now - start).seconds
  }
}
