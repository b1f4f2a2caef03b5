import Messaging

extension Noun {
  /// How many rows a table shows where nobody says.
  static let tableRows = 50
  /// How many rows one request asks for.
  static let pageRows = 500

  /// `daybook item list`.
  var listNode: CommandNode {
    let own: [Option] = [
      .value("q", "TEXT", "only those in which this text occurs, in any case, accents or not"),
      .value("sort", "FIELDS", "by these, a minus for the other way: \(sorts.joined(separator: ", "))"),
      .value("limit", "N", "at most so many rows (a table shows \(Noun.tableRows))"),
      .flag("all", "all rows, however many"),
      .value(
        "after", "RECEIPT", repeatable: true, "first wait until this is in the read model; none: wait for nothing"),
    ]
    return CommandNode(
      name: "list", synonyms: ["ls"], summary: "Lists \(plural)", examples: listExamples,
      options: filters.map(\.option) + own, run: list)
  }

  private func list(_ invocation: Invocation) async throws {
    let context = try Context(invocation)
    guard !(invocation.has("limit") && invocation.has("all")) else {
      throw Failure.usage("--limit and --all exclude one another")
    }
    let asked = try invocation.integer("limit", in: 1...Int.max)
    let everything = invocation.has("all") || context.mode != .people
    let limit = asked ?? (everything ? nil : Noun.tableRows)
    let query = try query(context)
    let progress = Progress.begin(context.console, "reading \(plural)")
    defer { progress.finish() }
    switch context.mode {
    case .people:
      let rows = try await Page.all(context.api, path, query, limit: limit, progress: progress)
      progress.finish()
      show(rows, context)
    case .json:
      let rows = try await Page.all(context.api, path, query, limit: limit, progress: progress)
      context.console.print(rows.json.text)
    case .ndjson, .quiet:
      try await Page.each(context.api, path, query, limit: limit, progress: progress) { page in
        var lines: [UInt8] = []
        for row in page.rows {
          if context.mode == .ndjson {
            row.write(to: &lines, sorted: false)
          } else {
            lines += Array((row["id"]?.string ?? "").utf8)
          }
          lines.append(0x0A)
        }
        progress.clear()
        context.console.standardOutput(lines)
      }
    }
  }

  func query(_ context: Context) throws -> [(name: String, value: String)] {
    let invocation = context.invocation
    try refuseOpposites(invocation)
    var query: [(name: String, value: String)] = []
    for filter in filters where invocation.has(filter.option.name) {
      for value in invocation.values(filter.option.name) {
        switch filter.kind {
        case .text: query.append((filter.query, value))
        case .day: query.append((filter.query, try context.clock.day(value).description))
        case .moment: query.append((filter.query, try context.clock.moment(value).description))
        case .fixed(let fixed): query.append((filter.query, fixed))
        }
      }
    }
    if let q = invocation.value("q") { query.append(("q", q)) }
    if let sort = invocation.value("sort") { query.append(("sort", sort)) }
    query += invocation.values("after").map { ("after", $0) }
    return query
  }

  /// `--done` and `--open` ask for opposite values of the same parameter.
  private func refuseOpposites(_ invocation: Invocation) throws {
    var names: [String: String] = [:]
    for filter in filters where invocation.has(filter.option.name) {
      guard case .fixed = filter.kind else { continue }
      if let other = names.updateValue(filter.option.name, forKey: filter.query) {
        throw Failure.usage("--\(other) and --\(filter.option.name) exclude one another")
      }
    }
  }

  private func show(_ page: Page, _ context: Context) {
    let style = context.console.outputStyle
    guard !page.rows.isEmpty else {
      context.console.say("No \(plural).")
      return
    }
    let width = context.console.outputIsTerminal ? context.console.width : nil
    context.console.write(table(page.rows, context.clock).render(width: width, style: style))
    if page.isCut {
      context.console.print(style.faint("\(page.rows.count) of \(page.count) \(plural); --all shows all"))
    }
  }

  /// The rows as people see them.
  func table(_ rows: [JSON], _ clock: Clock) -> Table {
    Table(columns: columns.map(\.column), rows: rows.map { row in columns.map { $0.cell(row, clock) } })
  }
}
