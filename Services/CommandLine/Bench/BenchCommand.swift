import Foundation
import Messaging

extension Commands {
  static let bench = CommandNode(
    name: "bench", summary: "Measures this machine, each figure beside its floor from the same run",
    discussion: """
      The floor of a figure is what the same rows cost when nothing but prepared SQLite statements writes them, in the
      same batches with the same fsync, measured in the same run in the same folder. Works in a folder of its own and
      removes it.

      With --kafka it measures the parts on that broker instead, beside librdkafka alone with the same records. It makes
      Daybook's topics there and deletes them in the end, so it refuses a broker that has some.
      """,
    examples: ["daybook bench", "daybook bench --items 20000 --json", "daybook bench --kafka localhost:9092"],
    section: running,
    options: [
      .value("items", "N", "how many items; 200000 where nothing is said"),
      .value("in", "DIR", "the folder to work in; the system's temporary folder where nothing is said"),
    ],
    run: { invocation in
      let mode = try Context.mode(invocation)
      let items = try count(invocation.value("items") ?? "200000")
      let parent = invocation.value("in") ?? FileManager.default.temporaryDirectory.path
      let folder = "\(parent)/daybook-bench-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let console = invocation.console
      let say: @Sendable (String) -> Void = { text in console.say("… \(text)") }
      let figures =
        if let kafka = try ClientLog(invocation) {
          try await onKafka(kafka, invocation, items, folder, say)
        } else {
          try await Bench(count: items, folder: folder, say: say).run()
        }
      switch mode {
      case .people: console.write(table(figures).render(width: nil, style: console.outputStyle))
      case .quiet: break
      case .json: console.print(JSON.array(figures.map(\.json)).text)
      case .ndjson: for figure in figures { console.print(figure.json.text) }
      }
    })

  private static func onKafka(
    _ kafka: ClientLog, _ invocation: Invocation, _ items: Int, _ folder: String,
    _ say: @escaping @Sendable (String) -> Void
  ) async throws -> [Figure] {
    let flags =
      ["kafka", "kafka-config"].flatMap { name in invocation.value(name).map { ["--\(name)", $0] } ?? [] }
      + (invocation.has("kafka-plaintext") ? ["--kafka-plaintext"] : [])
    do {
      let figures = try await KafkaBench(
        log: try await kafka.open(), servers: kafka.servers, flags: flags, count: items, folder: folder, say: say
      ).run()
      await kafka.close()
      return figures
    } catch {
      await kafka.close()
      throw error
    }
  }

  private static func count(_ text: String) throws -> Int {
    guard let count = Int(text), (1000...5_000_000).contains(count) else {
      throw Failure.usage("--items takes a number from 1000 to 5000000, not \"\(text)\"")
    }
    return count
  }

  private static func table(_ figures: [Figure]) -> Table {
    var table = Table(columns: [
      .init(title: "FIGURE"), .init(title: "VALUE", isNumber: true), .init(title: "UNIT"),
      .init(title: "FLOOR", isNumber: true), .init(title: "RATIO", isNumber: true), .init(title: "GOAL"),
      .init(title: "HOLDS"),
    ])
    table.rows = figures.map { figure in
      [
        .init(figure.name), .init(Figure.text(figure.value), .bold), .init(figure.unit),
        .init(figure.floor.map { Figure.text($0.value) } ?? ""), .init(figure.ratio.map(Figure.text) ?? ""),
        .init(figure.goal?.text ?? ""),
        figure.goal.map { $0.holds ? .init("yes", .good) : .init("no", .bad) } ?? .init(""),
      ]
    }
    return table
  }
}
