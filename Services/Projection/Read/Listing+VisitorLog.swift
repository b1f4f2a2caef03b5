import Messaging
import SQLite

extension Listing {
  static let visitors = Listing(
    kind: .visitor,
    sorts: [
      Sort("name", .always("e.last_sort"), .always("e.first_sort")), Sort("lastName", .always("e.last_sort")),
      Sort("firstName", .always("e.first_sort")), Sort("registeredAt", .always("e.registered_at")),
      Sort("visitCount", .always("e.visit_count")),
    ],
    defaultSort: "name",
    filters: [
      Filter("name") { value, context in
        .condition(
          "e.origin IN (SELECT visitor FROM visitor_key WHERE workspace = ? AND key = ?)",
          [.text(context.workspace), .text(Text.uniqueKey(value))])
      }
    ])

  static let visits = Listing(
    kind: .visit,
    joins: "LEFT JOIN visitor AS v ON v.origin = e.visitor",
    sorts: [
      Sort("arrivedAt", .always("e.arrived_at")), Sort("departedAt", .maybe("e.departed_at")),
      Sort("visitor", .maybe("v.last_sort"), .maybe("v.first_sort")),
    ],
    defaultSort: "-arrivedAt",
    filters: [
      Filter("visitor") { value, context in
        let visitors = try context.visitors(value)
        guard let first = visitors.first else { return .nothing }
        guard visitors.count > 1 else { return .condition("e.visitor = ?", [.integer(first)], order: "e.arrived_at") }
        return .condition(
          "e.visitor IN (SELECT visitor FROM visitor_key WHERE workspace = ? AND key = ?)",
          [.text(context.workspace), .text(Text.uniqueKey(value))])
      },
      .time("from", "e.arrived_at >= ?", order: "e.arrived_at"), .time("to", "e.arrived_at < ?", order: "e.arrived_at"),
      .flag("open", "e.departed_at IS NULL", "e.departed_at IS NOT NULL", order: "e.arrived_at"),
    ])

  static let badges = Listing(
    kind: .badge, joins: "LEFT JOIN visitor AS v ON v.origin = e.visitor",
    sorts: [Sort("number", .always("e.number_sort")), Sort("visitor", .maybe("v.last_sort"), .maybe("v.first_sort"))],
    defaultSort: "number",
    filters: [.named, .flag("free", "e.visitor IS NULL", "e.visitor IS NOT NULL")])
}

extension FilterContext {
  /// The first two visitors of that id, or called that: by full name in either order, or by last name.
  fileprivate func visitors(_ idOrName: String) throws -> [Int64] {
    if let id = MessageID(idOrName) {
      let found = try db.statement("SELECT origin FROM visitor WHERE workspace = ? AND id = ?")
        .map(workspace, id.description) { $0.int64(0) }
      if !found.isEmpty { return found }
    }
    return try db.statement("SELECT visitor FROM visitor_key WHERE workspace = ? AND key = ? LIMIT 2")
      .map(workspace, Text.uniqueKey(idOrName)) { $0.int64(0) }
  }
}
