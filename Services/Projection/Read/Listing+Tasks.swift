import Messaging
import SQLite

extension Listing {
  static let projects = Listing(
    kind: .project,
    sorts: [
      Sort("name", .always("e.name_sort")), Sort("place", .maybe("e.place_sort")),
      Sort("createdAt", .always("e.created_at")), Sort("startsOn", .maybe("e.starts_on")),
      Sort("endsOn", .maybe("e.ends_on")), Sort("itemCount", .always("e.item_count")),
      Sort("doneCount", .always("e.done_count")),
    ],
    defaultSort: "-createdAt",
    filters: [
      .named,
      Filter("place") { value, _ in
        switch value {
        case "none": .condition("e.place IS NULL", [])
        case "any": .condition("e.place IS NOT NULL", [])
        default: .condition("e.place_key = ?", [.text(Text.uniqueKey(value))])
        }
      },
      .day("starts-before", "e.starts_on < ?", order: "e.starts_on"),
      .day("starts-after", "e.starts_on > ?", order: "e.starts_on"),
    ])

  static let items = Listing(
    kind: .item,
    joins: "LEFT JOIN project AS p ON p.origin = e.project",
    sorts: [
      Sort("title", .always("e.title_sort")), Sort("createdAt", .always("e.created_at")),
      Sort("dueOn", .maybe("e.due_on")), Sort("completedAt", .maybe("e.completed_at")),
      Sort("isCompleted", .always("e.is_completed")), Sort("project", .maybe("p.name_sort")),
    ],
    defaultSort: "createdAt",
    filters: [
      .titled, .reference("project", to: .project, column: "e.project", count: "item_count", order: "e.created_at"),
      .link("tag", to: .tag, Restriction.Link(table: "item_tag", row: "item", by: "tag"), count: "item_count"),
      .flag("done", "e.is_completed = 1", "e.is_completed = 0", order: "e.created_at"),
      .day("due-before", "e.due_on < ?", order: "e.due_on"),
      .day("due-after", "e.due_on > ?", order: "e.due_on"),
    ])

  static let tags = Listing(
    kind: .tag, sorts: [Sort("name", .always("e.name_sort")), Sort("itemCount", .always("e.item_count"))],
    defaultSort: "name", filters: [.named])
}
