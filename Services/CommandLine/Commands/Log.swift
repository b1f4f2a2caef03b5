import EventLog
import Messaging
import ServiceKit

extension Commands {
  static let log = CommandNode(
    name: "log", summary: "Carries a history to another log", section: running, children: [copyLog])

  private static let copyLog = CommandNode(
    name: "copy", summary: "Carries the whole history of a stopped Daybook to Kafka",
    discussion: """
      Stop Daybook first, with every command decided. The topics there must be empty, or an earlier copy of the same
      history that was stopped in the middle: then it goes on. What counts is copied, in order, with headers and times,
      and read back. Then start the services with --kafka and empty data directories: they build themselves from the
      log. Tokens are not in the log: copy the folder gateway.
      """,
    examples: ["daybook log copy --from embedded:./book --to kafka:broker:9092"],
    options: [
      .value("from", "embedded:DIR", "the data directory whose log is copied"),
      .value("to", "kafka:HOST:PORT", "the Kafka that it is copied to"),
    ] + KafkaOptions.topics,
    run: { invocation in
      let mode = try Context.mode(invocation)
      let folder = try place(invocation, "from", "embedded:", "DIR")
      let servers = try place(invocation, "to", "kafka:", "HOST:PORT")
      guard let kafka = try ClientLog(invocation, servers: servers) else { return }
      let (source, count) = try await DataFolder(path: folder).stoppedLog(holder: "daybook log copy")
      let progress = Progress.begin(invocation.console, "copying")
      do {
        let target = try await kafka.open()
        let copy = LogCopy(
          source: source, target: target, partitionCount: count,
          names: ("embedded:\(source.id)", "kafka:\(target.id)"))
        let reports = try await copy.run { progress.advance(by: $0) }
        progress.finish()
        await kafka.close()
        await source.close()
        show(reports, mode, invocation.console)
      } catch {
        progress.finish()
        await kafka.close()
        await source.close()
        throw error
      }
    })

  private static func place(_ invocation: Invocation, _ option: String, _ scheme: String, _ what: String) throws
    -> String
  {
    guard let text = invocation.value(option), text.hasPrefix(scheme), text.count > scheme.count else {
      throw Failure.usage("daybook log copy needs --\(option) \(scheme)\(what)")
    }
    return String(text.dropFirst(scheme.count))
  }

  private static func show(_ reports: [LogCopy.Report], _ mode: Context.Mode, _ console: Console) {
    let total = reports.reduce(0) { $0 + $1.records }
    let rows: [JSON] = reports.map {
      [
        "service": .string($0.partition.service), "partition": JSON($0.partition.partition),
        "records": JSON($0.records), "digest": .string($0.digest),
      ]
    }
    switch mode {
    case .json: console.print(JSON.object(["records": JSON(total), "items": .array(rows)]).text)
    case .ndjson: for row in rows { console.print(row.text) }
    case .quiet: break
    case .people:
      var table = Table(columns: [
        .init(title: "OF"), .init(title: "RECORDS", isNumber: true), .init(title: "DIGEST"),
      ])
      table.rows = reports.map {
        [
          Table.Cell("\($0.partition)"), Table.Cell("\($0.records)"), Table.Cell(String($0.digest.prefix(16)), .faint),
        ]
      }
      console.write(table.render(width: nil, style: console.outputStyle))
      console.print(
        "Copied \(total) records, read back the same. Start the services with --kafka and empty data directories.")
    }
  }
}
