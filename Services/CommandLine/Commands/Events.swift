import Messaging

extension Commands {
  static let events = CommandNode(
    name: "events", summary: "Shows what happened, event by event",
    discussion: "Events of all services in the order of their times. With --follow it goes on showing what happens.",
    examples: [
      "daybook events --follow", "daybook events --type \"tasks.item.*\" --from yesterday",
      "daybook events --from tasks/3/42 --json",
    ],
    section: everything,
    options: rangeOptions + [
      .flag("follow", short: "f", "go on showing what happens, until interrupted"),
      .value("type", "GLOB", repeatable: true, "only events of this type; * stands for anything"),
      .flag("decisions", "the answers to commands too"),
    ],
    run: { invocation in
      let context = try Context(invocation)
      guard !(invocation.has("follow") && context.mode == .json) else {
        throw Failure.usage("--follow never ends, so it has no one document; use --ndjson")
      }
      var query = try range(context)
      query += invocation.values("type").map { ("type", $0) }
      if invocation.has("follow") { query.append(("follow", "true")) }
      let isDecisionAsked =
        invocation.has("decisions") || invocation.values("type").contains { $0.hasPrefix("daybook.") }
      try await show(query, context) { isDecisionAsked || !$0.isDecision }
    })

  /// `--from` and `--to`, of events, replay and history.
  static let rangeOptions: [Option] = [
    .value("from", "WHEN", "from this receipt (tasks/3/42) or time on"),
    .value("to", "WHEN", "up to this receipt or time, itself included"),
  ]

  /// The bounds as parameters: receipts as they are, times in UTC.
  static func range(_ context: Context) throws -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    for bound in ["from", "to"] {
      guard let text = context.invocation.value(bound) else { continue }
      query.append((bound, try Receipt(text)?.description ?? context.clock.moment(text).description))
    }
    return query
  }

  private static func show(
    _ query: [(name: String, value: String)], _ context: Context, where isAsked: (EventLine) -> Bool
  ) async throws {
    let progress = context.mode == .json ? Progress.begin(context.console, "reading events") : nil
    defer { progress?.finish() }
    var documents: [JSON] = []
    func tell(_ line: EventLine) {
      guard isAsked(line) else { return }
      switch context.mode {
      case .ndjson, .quiet, .people: print(line, context)
      case .json:
        documents.append(line.json)
        progress?.advance()
      }
    }
    if let kafka = context.kafka {
      let (log, count) = try await kafka.openStory()
      var events = try await LogEvents(log, partitionCount: count, workspace: context.api.workspace, query: query)
      try await events.forEach(tell)
      await kafka.close()
    } else {
      for try await bytes in try await context.api.lines("/v1/events", query) { tell(EventLine(json: API.json(bytes))) }
    }
    progress?.finish()
    if context.mode == .json { context.console.print(JSON.object(["items": .array(documents)]).text) }
    if context.invocation.has("follow") {
      throw Failure.unreachable("\(context.kafka?.servers ?? context.api.server) has stopped")
    }
  }

  private static func print(_ line: EventLine, _ context: Context) {
    switch context.mode {
    case .ndjson, .json: context.console.print(line.json.text)
    case .quiet: context.console.print(line.receipt)
    case .people: context.console.print(describe(line, context))
    }
  }

  /// `2026-05-25 08:30:00  tasks/3/42  tasks.item.added.v1  item a1b2c3d4  Buy milk  by ada`.
  private static func describe(_ line: EventLine, _ context: Context) -> String {
    let style = context.console.outputStyle
    let time = line.time?.string.flatMap(Timestamp.init).map { context.clock.show($0, seconds: true) } ?? ""
    var parts = [style.faint(time), line.receipt.padded(16), style.cyan(line.type.padded(32))]
    if let entity = line.entity { parts.append("\(entity.kind) \(Values.ending(entity.id))") }
    let names = names(line.data)
    if !names.isEmpty { parts.append(style.bold(Table.oneLine(names))) }
    if let answer = line.answer {
      parts.append(answer["status"] == "accepted" ? "accepted" : style.red("refused: \(answer["code"]?.string ?? "")"))
    }
    if let actor = line.actor { parts.append(style.faint("by \(Table.oneLine(actor))")) }
    return parts.joined(separator: "  ")
  }

  /// What an event's data calls its entity; of a link, both ends.
  private static func names(_ data: JSON) -> String {
    let entity = data["last"] ?? data["after"] ?? data
    if let name = entity["title"] ?? entity["name"] ?? entity["number"] { return Values.plain(name) }
    let ends = (entity.object?.members ?? []).filter { $0.value["name"] != nil }
    return ends.map { Values.plain($0.value) }.joined(separator: ", ")
  }
}
