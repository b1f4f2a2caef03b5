import EventLog
import Foundation
import Messaging
import ProjectionService
import SQLite

/// The project's own benchmark: every figure beside the floor that the same run measured on the same machine.
struct Bench {
  /// Items in the log and in the read model.
  let count: Int
  let folder: String
  /// Tells what it is doing.
  let say: @Sendable (String) -> Void

  func run() async throws -> [Figure] {
    say("\(count) commands through log and owner")
    let commands = try await CommandBench(count: count, folder: folder).run()
    var figures = [
      Figure(
        name: "commands, many in flight", value: commands.perSecond, unit: "/s",
        floor: (commands.floorPerSecond, "the same rows by bare statements, \(CommandBench.batch) commands a commit"),
        goal: ("at least 0.5 of the floor", commands.perSecond / commands.floorPerSecond >= 0.5))
    ]
    say("replaying them into a read model")
    figures.append(try await replay(commands))
    figures += try await serve(commands)
    return figures
  }

  private func replay(_ commands: CommandBench.Result) async throws -> Figure {
    let into = commands.data
    let log = try EmbeddedLog(directory: commands.data + "/log", mode: .reading)
    let start = ContinuousClock.now
    try await ProjectionService.replay(log: log, partitionCount: 4, until: nil, into: into)
    let seconds = (ContinuousClock.now - start).seconds
    let records = try await log.bounds(of: TopicPartition(Topic.events("tasks"), 3)).upperBound
    await log.close()
    // A replay makes its file durable at its end, and so does the floor.
    let floor = try Floor(copying: into + "/projection/projection.sqlite", name: "projection")
      .seconds(transactions: max(1, Int(records) / 2000), durable: false, in: folder)
    return Figure(
      name: "projection replay", value: Double(records) / seconds, unit: "records/s",
      floor: (Double(records) / floor, "the same rows by bare statements, 2,000 records a commit"),
      goal: ("at least 0.5 of the floor", floor / seconds >= 0.5))
  }

  private func serve(_ commands: CommandBench.Result) async throws -> [Figure] {
    let bench = ServingBench(data: commands.data, executable: Bundle.main.executablePath ?? CommandLine.arguments[0])
    say("starting daybook up on them, once to let the history catch up")
    _ = try await bench.serving { port, _ in try ServingBench.untilCaughtUp(port: port) }
    let measured = try await bench.serving { port, process in
      try await figures(commands, port: port, process: process)
    }
    return [
      Figure(
        name: "ready on an existing database", value: measured.ready * 1000, unit: "ms",
        goal: ("under 500 ms", measured.ready < 0.5))
    ] + measured.result
  }

  private func figures(_ commands: CommandBench.Result, port: Int, process: Int32) async throws -> [Figure] {
    say("idle for three seconds")
    let used = ServingBench.processorSeconds(process)
    try await Task.sleep(for: .seconds(3))
    let idle = ServingBench.processorSeconds(process) - used
    let resident = ServingBench.memoryMiB(process)
    say("lists and searches")
    let reads = try ServingBench.reads(port: port, Self.selectiveReads)
    let broad = try ServingBench.reads(port: port, Array(repeating: "/v1/search?q=the", count: 20))
    let bare = try Self.bareSearch(commands.data, "the")
    say("one command at a time")
    let trips = try ServingBench.roundTrips(port: port, count: 500)
    say("64 connections")
    let many = try ServingBench.throughput(port: port, connections: 64, count: min(count, 40_000))
    let trip = trips[trips.count / 2]
    return [
      Figure(
        name: "idle processor time", value: idle / 3 * 100, unit: "% of a core", goal: ("none", idle <= 0.02)),
      Figure(name: "idle resident memory", value: resident, unit: "MiB", goal: ("under 100 MiB", resident < 100)),
      Figure(
        name: "lists and searches of at most 2,000 matches, 99th percentile",
        value: Figure.percentile(reads, 0.99) * 1000,
        unit: "ms", goal: ("under 5 ms", Figure.percentile(reads, 0.99) < 0.005)),
      Figure(name: "the same, median", value: Figure.percentile(reads, 0.5) * 1000, unit: "ms"),
      Figure(
        name: "a search that matches all \(count)", value: Figure.percentile(broad, 0.5) * 1000, unit: "ms",
        floor: (bare * 1000, "the index query alone")),
      Figure(
        name: "round trip of one command over HTTP, median", value: trip * 1000, unit: "ms",
        floor: (commands.commitSeconds * 1000, "one of the three durable commits of the same rows by bare statements"),
        goal: ("at most 4 durable commits", trip <= 4 * commands.commitSeconds)),
      Figure(
        name: "commands over 64 HTTP connections", value: many, unit: "/s",
        floor: (commands.floorPerSecond, "as for many in flight"),
        goal: ("at least 0.25 of the floor", many / commands.floorPerSecond >= 0.25)),
    ]
  }

  /// Requests whose filter or word matches at most 2,000 of 200,000 items, each of its own words.
  private static var selectiveReads: [String] {
    (0..<200).flatMap { number in
      let project = BenchWords.project(number).replacing(" ", with: "%20")
      let tag = BenchWords.tag(number).replacing(" ", with: "%20")
      return [
        "/v1/items?project=\(project)", "/v1/items?project=\(project)&sort=-title", "/v1/items?tag=\(tag)",
        "/v1/items?q=\(BenchWords.noun(number))", "/v1/search?q=\(BenchWords.noun(number))",
        "/v1/search?q=\(BenchWords.verb(number))",
      ]
    }
  }

  /// Median seconds of the index query alone, its rows read.
  private static func bareSearch(_ data: String, _ word: String) throws -> Double {
    let db = try Connection(data + "/projection/projection.sqlite", .reading)
    defer { db.close() }
    let query = try db.prepare("SELECT rowid FROM search WHERE search MATCH ?")
    // Where it begins a word in a title, and in a note.
    let times = try (0..<9).map { _ in
      try ContinuousClock().measure { try query.forEach("\"c\(word)\"* OR \"g\(word)\"*") { _ in } }.seconds
    }
    return times.sorted()[4]
  }
}
