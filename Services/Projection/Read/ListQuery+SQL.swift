import SQLite

/// The SQL of one list query within one snapshot.
struct ListSQL {
  private(set) var from = ""
  private(set) var conditions: [String] = []
  private(set) var values: [Value] = []
  /// How many rows there are in all, where that is known without counting.
  private(set) var knownCount: Int?

  private let listing: Listing
  private let orders: [ListQuery.Order]
  private let limit: Int
  private let total: Int
  /// Whether a set of rows drives the query: what a needle is found in, or what is linked to an entity.
  private var isDriven = false
  /// What indexes give the rows of the conditions in the order of.
  private var given: Set<String> = []

  /// Nil where no row can fit. `total`: how many entities of the kind the workspace has.
  init?(_ query: ListQuery, _ restrictions: [Restriction], matches: Matches?, total: Int) {
    listing = query.listing
    orders = query.orders
    limit = query.limit
    self.total = total
    let entity = query.listing.kind.name
    var links: [(link: Restriction.Link, origin: Int64, count: Int)] = []
    var smallest = Int.max
    var plain: [(String, [Value])] = []
    var counts: [Int?] = []
    for restriction in restrictions {
      switch restriction {
      case .nothing: return nil
      case .condition(let sql, let bound, let count, let order):
        plain.append((sql, bound))
        if let order { given.insert(order) }
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
      isDriven = true
      if counts.isEmpty { knownCount = matches.ranks.count }
    } else if let first = links.first, first.count <= smallest, !isBroad(first.count) {
      from = "FROM \(first.link.table) AS l CROSS JOIN \(entity) AS e ON e.origin = l.\(first.link.row)"
      conditions.append("l.\(first.link.by) = ?")
      values.append(.integer(first.origin))
      isDriven = true
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
  private func isBroad(_ count: Int) -> Bool { Double(count) * Double(count) > 16 * Double(limit) * Double(total) }

  /// Whether all rows that fit are found, which are few, and then sorted. Otherwise an index gives the order, and few
  /// more rows are looked at than are shown.
  private func sorts(_ count: Int) -> Bool {
    if isDriven { return true }
    if count >= total || (orders.count == 1 && given.contains(orders[0].term.sql)) { return false }
    return !isBroad(count)
  }

  var count: String { "SELECT count(*) \(from) WHERE \(conditions.joined(separator: " AND "))" }

  /// The statements that give the origin and sort values of the rows behind the cursor, to be run one after the other
  /// until the page is full. The last parameter of each is the limit. `count`: how many rows fit in all.
  func page(after cursor: [Value]?, count: Int) -> [(sql: String, values: [Value])] {
    let sorts = sorts(count)
    let strata: [Keyset.Stratum?] = cursor.map { Keyset(orders).strata(after: $0) } ?? [nil]
    guard sorts, cursor != nil else { return strata.map { statement($0, sorts: sorts) } }
    // All rows that fit are found anyway: once is enough.
    let parts = strata.compactMap(\.self)
    let any = parts.map { "(\($0.sql))" }.joined(separator: " OR ")
    return [statement(("(\(any))", parts.flatMap(\.values)), sorts: sorts)]
  }

  private func statement(_ stratum: Keyset.Stratum?, sorts: Bool) -> (sql: String, values: [Value]) {
    let terms = orders.map(\.term.sql)
    // With a plus sign before it, no index can give a term's order.
    let plus = sorts ? "+" : ""
    let order =
      orders.map { "\(plus)\($0.term.sql) \($0.isDescending ? "DESC" : "ASC")\($0.nullsLast)" }
      + ["\(plus)e.origin \(orders.last?.isDescending ?? false ? "DESC" : "ASC")"]
    let sql = """
      SELECT \((["e.origin"] + terms).joined(separator: ", ")) \(from) \(listing.joins)
      WHERE \((conditions + [stratum?.sql].compactMap(\.self)).joined(separator: " AND "))
      ORDER BY \(order.joined(separator: ", ")) LIMIT ?
      """
    return (sql, values + (stratum?.values ?? []))
  }
}

extension ListQuery.Order {
  /// NULL is the smallest of all to SQLite, so that it is last by itself in descending order.
  fileprivate var nullsLast: String { term.isNullable && !isDescending ? " NULLS LAST" : "" }
}

/// The rows behind a given one, in a total order whose last word is the origin.
struct Keyset {
  typealias Stratum = (sql: String, values: [Value])
  private let orders: [ListQuery.Order]

  init(_ orders: [ListQuery.Order]) { self.orders = orders }

  /// The rows behind `row` (its sort values, then its origin) in layers that follow one another: those that are equal
  /// to it in every term but the origin, those that are equal in all terms but the last, and so on. An index that gives
  /// the order can seek to the start of each.
  func strata(after row: [Value]) -> [Stratum] {
    let isDescending = orders.last?.isDescending ?? false
    var strata: [Stratum] = []
    add(&strata, row, equal: orders.count, "e.origin \(isDescending ? "<" : ">") ?", [row[orders.count]])
    for (index, order) in orders.enumerated().reversed() where row[index] != .null {
      // Nothing is last: behind a NULL is no other value, behind every value are the NULLs.
      add(&strata, row, equal: index, "\(order.term.sql) \(order.isDescending ? "<" : ">") ?", [row[index]])
      if order.term.isNullable { add(&strata, row, equal: index, "\(order.term.sql) IS NULL", []) }
    }
    return strata
  }

  private func add(_ strata: inout [Stratum], _ row: [Value], equal count: Int, _ sql: String, _ values: [Value]) {
    let equal = (0..<count).map { orders[$0].term.sql + (row[$0] == .null ? " IS NULL" : " = ?") }
    strata.append(
      ((equal + [sql]).joined(separator: " AND "), row[..<count].filter { $0 != .null } + values))
  }
}
