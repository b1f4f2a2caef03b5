import SQLite

/// The SQL of one list query within one snapshot.
struct ListSQL {
  private(set) var from: String
  private(set) var conditions: [String] = []
  private(set) var values: [Value] = []
  /// How many rows there are in all, where that is known without counting.
  private(set) var knownCount: Int?

  private let listing: Listing
  private let orders: [ListQuery.Order]

  /// Nil where no row can fit. `total`: how many entities of the kind the workspace has.
  init?(_ query: ListQuery, _ restrictions: [Restriction], matches: Matches?, total: Int) {
    listing = query.listing
    orders = query.orders
    let entity = query.listing.kind.name
    var links: [(link: Restriction.Link, origin: Int64, count: Int)] = []
    var smallest = Int.max
    var plain: [(String, [Value])] = []
    var counts: [Int?] = []
    for restriction in restrictions {
      switch restriction {
      case .nothing: return nil
      case .condition(let sql, let bound, let count):
        plain.append((sql, bound))
        counts.append(count)
        smallest = min(smallest, count ?? .max)
      case .linked(let link, let origin, let count):
        links.append((link, origin, count))
        counts.append(count)
      }
    }
    links.sort { $0.count < $1.count }
    if let matches {
      if matches.ranks.isEmpty { return nil }
      let list = matches.ranks.keys.lazy.map(String.init).joined(separator: ",")
      from = "FROM json_each(?) AS m CROSS JOIN \(entity) AS e ON e.origin = m.value"
      values.append(.text("[\(list)]"))
      if counts.isEmpty { knownCount = matches.ranks.count }
    } else if let first = links.first, first.count <= smallest, !Self.isBroad(first.count, total, query.limit) {
      from = "FROM \(first.link.table) AS l CROSS JOIN \(entity) AS e ON e.origin = l.\(first.link.row)"
      conditions.append("l.\(first.link.by) = ?")
      values.append(.integer(first.origin))
      links.removeFirst()
    } else {
      from = "FROM \(entity) AS e"
    }
    conditions.append("e.workspace = ?")
    values.append(.text(query.workspace))
    for (link, origin, _) in links {
      conditions.append("EXISTS (SELECT 1 FROM \(link.table) AS x WHERE x.\(link.row) = e.origin AND x.\(link.by) = ?)")
      values.append(.integer(origin))
    }
    for (sql, bound) in plain {
      conditions.append(sql)
      values += bound
    }
    if matches == nil {
      if counts.isEmpty { knownCount = total }
      if counts.count == 1, let count = counts[0] { knownCount = count }
    }
  }

  /// Whether so many of the rows fit that walking all of them in order finds a page sooner than sorting those that fit.
  private static func isBroad(_ count: Int, _ total: Int, _ limit: Int) -> Bool {
    Double(count) * Double(count) > 16 * Double(limit) * Double(total)
  }

  var count: String { "SELECT count(*) \(from) WHERE \(conditions.joined(separator: " AND "))" }

  /// Origin and sort values of the rows behind the cursor, in order. The parameters are `values`, the cursor's, and the
  /// limit.
  func page(after cursor: [Value]?) -> (sql: String, values: [Value]) {
    let terms = orders.map(\.term.sql)
    let keyset = cursor.map { Keyset(orders).condition(after: $0) }
    let isDescending = orders.last?.isDescending ?? false
    let order = orders.map { "\($0.term.sql) \($0.isDescending ? "DESC" : "ASC")\($0.nullsLast)" }
    let sql = """
      SELECT \((["e.origin"] + terms).joined(separator: ", ")) \(from) \(listing.joins)
      WHERE \((conditions + [keyset?.sql].compactMap(\.self)).joined(separator: " AND "))
      ORDER BY \((order + ["e.origin \(isDescending ? "DESC" : "ASC")"]).joined(separator: ", ")) LIMIT ?
      """
    return (sql, values + (keyset?.values ?? []))
  }
}

extension ListQuery.Order {
  /// NULL is the smallest of all to SQLite, so that it is last by itself in descending order.
  fileprivate var nullsLast: String { term.isNullable && !isDescending ? " NULLS LAST" : "" }
}

/// The condition for rows behind a given one, in a total order whose last word is the origin.
struct Keyset {
  private let orders: [ListQuery.Order]

  init(_ orders: [ListQuery.Order]) { self.orders = orders }

  /// `row`: its sort values, then its origin.
  func condition(after row: [Value]) -> (sql: String, values: [Value]) {
    let isDescending = orders.last?.isDescending ?? false
    let isUniform = orders.allSatisfy { !$0.term.isNullable && $0.isDescending == isDescending }
    if isUniform {
      // SQLite seeks in an index by a row of values.
      let columns = (orders.map(\.term.sql) + ["e.origin"]).joined(separator: ", ")
      let parameters = row.map { _ in "?" }.joined(separator: ", ")
      return ("(\(columns)) \(isDescending ? "<" : ">") (\(parameters))", row)
    }
    var values: [Value] = []
    let sql = after(0, row, &values)
    return (sql, values)
  }

  private func after(_ index: Int, _ row: [Value], _ values: inout [Value]) -> String {
    guard index < orders.count else {
      values.append(row[index])
      return "e.origin \((orders.last?.isDescending ?? false) ? "<" : ">") ?"
    }
    let (term, isDescending) = (orders[index].term, orders[index].isDescending)
    if row[index] == .null {
      // NULLs are last: only among them is anything behind.
      return "(\(term.sql) IS NULL AND \(after(index + 1, row, &values)))"
    }
    values.append(row[index])
    let beyond = "\(term.sql) \(isDescending ? "<" : ">") ?"
    values.append(row[index])
    let among = "\(term.sql) = ? AND \(after(index + 1, row, &values))"
    return term.isNullable ? "(\(beyond) OR \(term.sql) IS NULL OR (\(among)))" : "(\(beyond) OR (\(among)))"
  }
}
