import Messaging

extension Nouns {
  private static let section = "Task list"

  static let project = Noun(
    name: "project", plural: "projects", section: section, summary: "Projects, and what belongs to them", label: "name",
    columns: [
      .id, .text("NAME", "name"), .text("PLACE", "place", optional: true),
      .text("STARTS", "startsOn", optional: true, elastic: false),
      .text("ENDS", "endsOn", optional: true, elastic: false),
      .number("ITEMS") { Values.plain($0["itemCount"]) },
      .number("DONE") { Values.plain($0["doneCount"]) },
    ],
    filters: [
      .text("place", "TEXT", "only those at this place"),
      .day("starts-before", "only those that start before this day"),
      .day("starts-after", "only those that start after this day"),
    ],
    sorts: ["name", "place", "createdAt", "startsOn", "endsOn", "itemCount", "doneCount"])

  static let item = Noun(
    name: "item", plural: "items", section: section, summary: "Items: what is to be done", label: "title",
    columns: [
      .id,
      .cell("DONE") { row, _ in row["isCompleted"] == true ? Table.Cell("✓", .good) : Table.Cell("·", .faint) },
      .text("TITLE", "title"), .text("PROJECT", "project", optional: true), .text("TAGS", "tags", optional: true),
      .cell("DUE", optional: true) { row, clock in
        let due = Values.plain(row["dueOn"])
        let isLate = row["isCompleted"] != true && Day(due).map { $0 < clock.today } == true
        return Table.Cell(due, isLate ? .bad : .plain)
      },
    ],
    filters: [
      .text("project", "NAME", "only those of this project (none: in no project; any: in one)"),
      .text("tag", "NAME", repeatable: true, "only those with this tag; repeated: with all of them"),
      .flag("done", "done", "true", "only those that are done"),
      .flag("open", "done", "false", "only those still to be done"),
      .day("due-before", "only those due before this day"), .day("due-after", "only those due after this day"),
    ],
    sorts: ["title", "createdAt", "dueOn", "completedAt", "isCompleted", "project"],
    listExamples: [
      "daybook item list --project \"House chores\" --tag urgent", "daybook item list --open --due-before tomorrow",
    ])

  static let tag = Noun(
    name: "tag", plural: "tags", section: section, summary: "Tags: words that items are found by", label: "name",
    columns: [
      .id, .text("NAME", "name"), .number("ITEMS", optional: true) { Values.plain($0["itemCount"]) },
    ],
    filters: [], sorts: ["name", "itemCount"])

  static let projectVerbs: [Verb] = [
    Verb(
      name: "create", synonyms: ["add", "new"], type: "tasks.project.create.v1", past: "Created",
      subject: .new(field: "name", argument: "NAME"),
      examples: ["daybook project create \"House chores\" --place home --starts today"]),
    Verb(
      name: "edit", type: "tasks.project.edit.v1", past: "Changed", subject: .existing(project, field: "project"),
      examples: ["daybook project edit \"House chores\" --place garden --no-ends"]),
    Verb(
      name: "rename", type: "tasks.project.edit.v1", past: "Renamed",
      subject: .renamed(project, field: "project", to: "name"), summary: "Gives a project another name",
      examples: ["daybook project rename \"House chores\" Home"], without: ["place", "startsOn", "endsOn"]),
    Verb(
      name: "delete", synonyms: ["remove", "rm"], type: "tasks.project.delete.v1", past: "Deleted",
      subject: .existing(project, field: "project"),
      examples: [
        "daybook project delete \"House chores\" --dry-run",
        "daybook project delete \"House chores\" --items keep --yes",
      ],
      impact: Impact(noun: project, field: "project") { context, id in
        let count = try await Impact.count(context, item, [("project", id.description)])
        let fate: String =
          switch context.invocation.value("items") {
          case "keep": "will stay without a project"
          case "refuse": "forbid it"
          default: "will be deleted with it"
          }
        return [.init(count: count, noun: item, fate: fate)]
      }),
  ]

  static let itemVerbs: [Verb] = [
    Verb(
      name: "add", synonyms: ["create", "new"], type: "tasks.item.add.v1", past: "Added",
      subject: .new(field: "title", argument: "TITLE"),
      examples: [
        "daybook item add \"Buy milk\" --project \"House chores\" --tag urgent --due tomorrow",
        "daybook item add - < shopping.txt",
      ]),
    Verb(
      name: "edit", type: "tasks.item.edit.v1", past: "Changed", subject: .existing(item, field: "item"),
      examples: ["daybook item edit \"Buy milk\" --note \"two litres\" --no-due"]),
    Verb(
      name: "rename", type: "tasks.item.edit.v1", past: "Renamed",
      subject: .renamed(item, field: "item", to: "title"), summary: "Gives an item another title",
      examples: ["daybook item rename \"Buy milk\" \"Buy oat milk\""], without: ["note", "dueOn"]),
    Verb(
      name: "complete", synonyms: ["done"], type: "tasks.item.complete.v1", past: "Completed",
      subject: .existing(item, field: "item"), examples: ["daybook item complete \"Buy milk\" a1b2c3d4"]),
    Verb(
      name: "reopen", type: "tasks.item.reopen.v1", past: "Reopened", subject: .existing(item, field: "item"),
      examples: ["daybook item reopen \"Buy milk\""]),
    Verb(
      name: "move", synonyms: ["mv"], type: "tasks.item.move.v1", past: "Moved",
      subject: .existing(item, field: "item"),
      examples: ["daybook item move \"Buy milk\" --project Garden", "daybook item move \"Buy milk\" --no-project"]),
    Verb(
      name: "delete", synonyms: ["remove", "rm"], type: "tasks.item.delete.v1", past: "Deleted",
      subject: .existing(item, field: "item"), examples: ["daybook item delete \"Buy milk\""],
      impact: Impact(noun: item, field: "item")),
    Verb(
      name: "delete-completed", type: "tasks.item.delete-completed.v1", past: "Deleted",
      subject: .custom([]) { context, _ in [try await completed(context)] },
      examples: [
        "daybook item delete-completed --project \"House chores\"", "daybook item delete-completed --any --dry-run",
      ],
      without: ["project"],
      more: [
        .value("project", "NAME", "those of this project, by name or id"),
        .flag("no-project", "those in no project"), .flag("any", "those of every project and of none"),
      ],
      impact: Impact(noun: nil, field: "project") { context, _ in
        [.init(count: try await completedCount(context), noun: item, fate: "will be deleted")]
      }),
  ]

  private static func completed(_ context: Context) async throws -> Write {
    let invocation = context.invocation
    let asked = ["project", "no-project", "any"].filter(invocation.has)
    guard asked.count == 1 else {
      throw Failure.usage("\(invocation.words) needs one of --project, --no-project and --any")
    }
    if invocation.has("any") { return Write(label: "completed items of every project", data: ["project": "any"]) }
    guard let name = invocation.value("project") else {
      return Write(label: "completed items in no project", data: ["project": .null])
    }
    return Write(label: "completed items of \(name)", data: ["project": try await context.reference(project, name)])
  }

  private static func completedCount(_ context: Context) async throws -> Int {
    var filters = [(name: "done", value: "true")]
    if context.invocation.has("no-project") { filters.append(("project", "none")) }
    if let name = context.invocation.value("project") {
      filters.append(("project", try await context.id(of: project, name).description))
    }
    return try await Impact.count(context, item, filters)
  }

  static let tagVerbs: [Verb] = [
    Verb(
      name: "create", synonyms: ["add", "new"], type: "tasks.tag.create.v1", past: "Created",
      subject: .new(field: "name", argument: "NAME"), examples: ["daybook tag create urgent --ensure"]),
    Verb(
      name: "rename", synonyms: ["edit"], type: "tasks.tag.rename.v1", past: "Renamed",
      subject: .renamed(tag, field: "tag", to: "name"), examples: ["daybook tag rename urgent soon"]),
    Verb(
      name: "assign", type: "tasks.tag.assign.v1", past: "Tagged",
      subject: .pair(tag, field: "tag", with: item, otherField: "item"),
      examples: ["daybook tag assign urgent \"Buy milk\" \"Call Ada\""]),
    Verb(
      name: "unassign", type: "tasks.tag.unassign.v1", past: "Untagged",
      subject: .pair(tag, field: "tag", with: item, otherField: "item"),
      examples: ["daybook tag unassign urgent \"Buy milk\""]),
    Verb(
      name: "delete", synonyms: ["remove", "rm"], type: "tasks.tag.delete.v1", past: "Deleted",
      subject: .existing(tag, field: "tag"), examples: ["daybook tag delete urgent"],
      impact: Impact(noun: tag, field: "tag") { context, id in
        let count = try await Impact.count(context, item, [("tag", id.description)])
        return [.init(count: count, noun: item, fate: "will lose it")]
      }),
  ]
}
