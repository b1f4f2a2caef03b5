import HTTP
import Messaging
import SQLite

/// A list of workspaces, read from its request.
struct WorkspacesQuery: Sendable {
  private static let fingerprint = Cursor.fingerprint(["workspaces"])
  let limit: Int
  let cursor: Cursor?

  init(_ request: Request) throws(Problem) {
    try request.allow(["after", "limit", "cursor"])
    limit = try request.limit(ListQuery.defaultLimit, most: ListQuery.largestLimit)
    cursor = try request.value("cursor").map { (text) throws(Problem) in
      try Cursor(text, for: Self.fingerprint, count: 1)
    }
  }

  func next(after name: String) -> Cursor { Cursor(query: Self.fingerprint, values: [.text(name)]) }
}

extension ReadModel {
  /// The workspaces that something happened in, by name, each with how many entities of every kind it holds.
  func workspaces(_ query: WorkspacesQuery) throws -> [UInt8] {
    let columns = Kind.allCases.map(\.plural)
    var out = JSONOutput()
    var names: [String] = []
    out.openObject()
    out.key("items")
    out.openArray()
    let after = query.cursor?.values.first ?? .text("")
    try db.statement(
      "SELECT name, \(columns.joined(separator: ", ")) FROM workspace WHERE name > ? ORDER BY name LIMIT ?"
    ).forEach(after, query.limit + 1) { row in
      names.append(row.string(0))
      guard names.count <= query.limit else { return }
      out.openObject()
      out.key("name")
      out.text(row, 0)
      for (index, column) in columns.enumerated() {
        out.key(column)
        out.integer(row, index + 1)
      }
      out.closeObject()
    }
    out.closeArray()
    let next = names.count > query.limit ? query.next(after: names[query.limit - 1]) : nil
    let count = try db.statement("SELECT count(*) FROM workspace").first { $0.int(0) } ?? 0
    try finish(&out, next: next, count: count, ["library", "tasks", "visitorlog"], nil)
    return out.bytes
  }
}
