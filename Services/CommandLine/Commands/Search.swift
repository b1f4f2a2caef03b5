import Messaging

extension Commands {
  static let search = CommandNode(
    name: "search", synonyms: ["find"], summary: "Finds everything that holds a text, in any of the three books",
    examples: ["daybook search milk", "daybook search \"o'brien\" --kind visitor"], section: everything,
    arguments: [Argument(name: "TEXT", count: .several, help: "what to look for; several words are one text")],
    options: [
      .value("kind", "KIND", choices: Nouns.all.map(\.name).filter { $0 != "visit" }, "only entities of this kind"),
      .value("limit", "N", "at most so many (20 where nothing is said)"), .flag("all", "all of them"),
      .value(
        "after", "RECEIPT", repeatable: true, "first wait until this is in the read model; none: wait for nothing"),
    ],
    run: { invocation in
      let context = try Context(invocation)
      var query = [(name: "q", value: invocation.arguments.joined(separator: " "))]
      if let kind = invocation.value("kind") { query.append(("kind", kind)) }
      query += invocation.values("after").map { ("after", $0) }
      let everything = invocation.has("all") || context.mode != .people
      let limit = try invocation.integer("limit", in: 1...Int.max) ?? (everything ? nil : 20)
      let progress = Progress.begin(context.console, "searching")
      defer { progress.finish() }
      let page = try await Page.all(context.api, "/v1/search", query, limit: limit, progress: progress)
      progress.finish()
      show(page, context)
    })

  private static func show(_ page: Page, _ context: Context) {
    let console = context.console
    switch context.mode {
    case .json: console.print(page.json.text)
    case .ndjson: for row in page.rows { console.print(row.text) }
    case .quiet: for row in page.rows { console.print(row["id"]?.string ?? "") }
    case .people:
      guard !page.rows.isEmpty else {
        console.say("Nothing holds it.")
        return
      }
      var table = Table(columns: [
        .init(title: "KIND"), .init(title: "ID"), .init(title: "TITLE", isElastic: true),
        .init(title: "MATCH", isElastic: true),
      ])
      table.rows = page.rows.map { row in
        [
          Table.Cell(Values.plain(row["kind"])), Table.Cell(Values.ending(Values.plain(row["id"])), .faint),
          Table.Cell(Values.plain(row["title"])), Table.Cell(Values.plain(row["match"]), .attention),
        ]
      }
      let style = console.outputStyle
      console.write(table.render(width: console.outputIsTerminal ? console.width : nil, style: style))
      if page.isCut { console.print(style.faint("\(page.rows.count) of \(page.count); --all shows all")) }
    }
  }
}
