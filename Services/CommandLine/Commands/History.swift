import Messaging

extension Commands {
  static let history = CommandNode(
    name: "history", summary: "Shows who changed what, when, and what it was before",
    discussion: "Also of what is gone. Without ENTITY it shows the history of everything.",
    examples: [
      "daybook history \"Buy milk\"", "daybook history --actor ada --from yesterday", "daybook history verify",
    ],
    section: everything,
    arguments: [
      Argument(name: "ENTITY", count: .optional, help: "a name (also of what is gone), an id or the end of it")
    ],
    options: rangeOptions + [
      .value("actor", "NAME", "only what this actor asked for"),
      .value("type", "GLOB", "only events of this type; * stands for anything"),
      .value("command", "UUID", "only what this command did"),
      .value("limit", "N", "at most so many (100 where nothing is said)"), .flag("all", "all of it"),
    ],
    children: [verify],
    run: { invocation in
      let context = try Context(invocation)
      var query = try range(context)
      if let entity = invocation.arguments.first { query.append(("entity", entity)) }
      for (option, parameter) in [("actor", "actor"), ("type", "type"), ("command", "command")] {
        if let value = invocation.value(option) { query.append((parameter, value)) }
      }
      let everything = invocation.has("all") || context.mode != .people
      let limit = try invocation.integer("limit", in: 1...Int.max) ?? (everything ? nil : 100)
      let progress = Progress.begin(context.console, "reading the history")
      defer { progress.finish() }
      let page = try await Page.all(context.api, "/v1/history", query, limit: limit, progress: progress)
      progress.finish()
      show(page, context)
    })

  private static func show(_ page: Page, _ context: Context) {
    let console = context.console
    switch context.mode {
    case .json: console.print(page.json.text)
    case .ndjson: for row in page.rows { console.print(row.text) }
    case .quiet: for row in page.rows { console.print(row["receipt"]?.string ?? "") }
    case .people:
      guard !page.rows.isEmpty else {
        console.say("No history.")
        return
      }
      var story = Story()
      let style = console.outputStyle
      for row in page.rows {
        let line = EventLine(json: row)
        console.print(heading(line, context))
        if let sentence = story.tell(line) { console.print("  \(Table.oneLine(sentence))") }
        if let was = was(line, context.clock) { console.print("  It was: \(was).") }
      }
      if page.isCut { console.print(style.faint("\(page.rows.count) of \(page.count); --all shows all")) }
    }
  }

  /// `2026-05-25 08:30:00  tasks.item.edited.v1  by ada  command …  tasks/3/42`.
  private static func heading(_ line: EventLine, _ context: Context) -> String {
    let style = context.console.outputStyle
    let time = line.time?.string.flatMap(Timestamp.init).map { context.clock.show($0, seconds: true) } ?? ""
    var parts = [time, style.cyan(line.type)]
    if let actor = line.actor { parts.append("by \(Table.oneLine(actor))") }
    if let command = (line.json["command"] ?? line.json["causationId"])?.string { parts.append("command \(command)") }
    parts.append(style.faint(line.receipt))
    return parts.joined(separator: "  ")
  }

  /// Of a delete, all that it was: `title Buy milk, due on 2026-05-26, project House chores`.
  private static func was(_ line: EventLine, _ clock: Clock) -> String? {
    guard let last = line.data["last"]?.object else { return nil }
    let members = last.members.compactMap { member -> String? in
      let text = Values.member(member.key, member.value, clock)
      return text.isEmpty || member.key == "id" ? nil : "\(Values.words(member.key)) \(text)"
    }
    return Table.oneLine(members.joined(separator: ", "))
  }
}
