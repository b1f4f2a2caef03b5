import SQLite

/// The SQL of one list query within one snapshot. `e` is the entity's own row.
struct ListSQL {
  typealias Statement = (sql: String, values: [Value])

  private(set) var conditions: [String] = []
  private var from = ""
  private var values: [Value] = []
  private let listing: Listing
  private let orders: [ListQuery.Order]
  private let limit: Int
  private let total: Int
  /// What indexes give the rows of the conditions in the order of.
  private var given: Set<String> = []
  /// How many rows there are in all, where that is known without counting.
  private(set) var knownCount: Int?
  /// Whether a small set of rows drives the query: what may hold a needle, or what is linked to an entity. Then all rows
  /// that fit are found and sorted, and counted on the way.
  private(set) var findsAll = false

  /// Nil where no row can fit. `found`: the rows that hold the query's needle; `total`: how many entities of the kind the
  /// workspace has.
  init?(_ query: ListQuery, _ restrictions: [Restriction], found: [Int64]?, total: Int) {
    listing = query.listing
    orders = query.orders
    limit = query.limit
    self.total = total
    var links: [(link: Restriction.Link, origin: Int64, count: Int)] = []
    var plain: [(sql: String, values: [Value])] = []
    var rows = found
    var counts: [Int?] = []
    for restriction in restrictions {
      switch restriction {
      case .nothing: return nil
      case .condition(let sql, let bound, let count, let order):
        plain.append((sql, bound))
        if let order { given.insert(order) }
        counts.append(count)
      case .rows(let origins):
        rows = rows.map { Set($0) }.map { found in origins.filter(found.contains) } ?? origins
        counts.append(nil)
      case .linked(let link, let origin, let count):
        links.append((link, origin, count))
        counts.append(count)
      }
    }
    links.sort { $0.count < $1.count }
    let entity = query.listing.kind.name
    if let rows {
      // The needle's are all there are where nothing else is asked for.
      if restrictions.isEmpty { knownCount = rows.count } else { findsAll = true }
      from = "FROM json_each(?) AS m CROSS JOIN \(entity) AS e ON e.origin = m.value"
      values.append(.text(Finder.list(rows)))
    } else if let first = links.first, !isBroad(first.count), first.count <= counts.compactMap(\.self).min() ?? 0 {
      findsAll = true
      from = "FROM \(first.link.table) AS l CROSS JOIN \(entity) AS e ON e.origin = l.\(first.link.row)"
      add("l.\(first.link.by) = ?", [.integer(first.origin)])
      links.removeFirst()
    } else {
      from = "FROM \(entity) AS e"
      if counts.isEmpty { knownCount = total }
      if counts.count == 1 { knownCount = counts[0] }
    }
    add("e.workspace = ?", [.text(query.workspace)])
    for (link, origin, _) in links {
      add(
        "EXISTS (SELECT 1 FROM \(link.table) AS x WHERE x.\(link.row) = e.origin AND x.\(link.by) = ?)",
        [.integer(origin)])
    }
    for (sql, bound) in plain { add(sql, bound) }
  }

  private mutating func add(_ condition: String, _ bound: [Value]) {
    conditions.append(condition)
    values += bound
  }

  /// Whether so many of the rows fit that walking all of them in order finds a page sooner than sorting those that fit.
  private func isBroad(_ count: Int) -> Bool { Double(count) * Double(count) > 16 * Double(limit) * Double(total) }

  /// Whether those that fit, which are so many, are sorted. Otherwise an index gives the order, and few more rows are
  /// looked at than are shown.
  private func sorts(_ count: Int) -> Bool {
    if count >= total || (orders.count == 1 && given.contains(orders[0].term.sql)) { return false }
    return !isBroad(count)
  }

  // MARK: - Statements

  /// How many rows fit.
  var count: Statement { ("SELECT count(*) \(from) WHERE \(conditions.joined(separator: " AND "))", values) }

  /// All rows that fit, in order: origin, sort values, and whether the row is behind the cursor.
  func all(after cursor: [Value]?) -> Statement {
    let strata = cursor.map { Keyset(orders).strata(after: $0) } ?? []
    let behind = strata.isEmpty ? "1" : strata.map { "(\($0.sql))" }.joined(separator: " OR ")
    let columns = ["e.origin"] + orders.map(\.term.sql) + [behind]
    return (
      """
      SELECT \(columns.joined(separator: ", ")) \(from) \(listing.joins)
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order(sorts: true))
      """,
      strata.flatMap(\.values) + values
    )
  }

  /// Origin and sort values of the rows behind the cursor: statements to be run one after the other until the page is
  /// full. The last parameter of each is the limit. `count`: how many rows fit in all.
  func page(after cursor: [Value]?, count: Int) -> [Statement] {
    let sorts = sorts(count)
    guard let cursor else { return [page(nil, sorts: sorts)] }
    let strata = Keyset(orders).strata(after: cursor)
    guard sorts else { return strata.map { page($0, sorts: false) } }
    // All rows that fit are found anyway: once is enough.
    let any = strata.map { "(\($0.sql))" }.joined(separator: " OR ")
    return [page((sql: "(\(any))", values: strata.flatMap(\.values)), sorts: true)]
  }

  private func page(_ stratum: Keyset.Stratum?, sorts: Bool) -> Statement {
    (
      """
      SELECT \((["e.origin"] + orders.map(\.term.sql)).joined(separator: ", ")) \(from) \(listing.joins)
      WHERE \((conditions + [stratum?.sql].compactMap(\.self)).joined(separator: " AND "))
      ORDER BY \(order(sorts: sorts)) LIMIT ?
      """,
      values + (stratum?.values ?? [])
    )
  }

  /// With a plus sign before it, no index is asked for a term's order.
  private func order(sorts: Bool) -> String {
    let plus = sorts ? "+" : ""
    let terms = orders.map { order in
      // NULL is the smallest of all to SQLite, so that it is last by itself in descending order.
      let nulls = order.term.isNullable && !order.isDescending ? " NULLS LAST" : ""
      return "\(plus)\(order.term.sql) \(order.isDescending ? "DESC" : "ASC")\(nulls)"
    }
    return (terms + ["\(plus)e.origin \(orders.last?.isDescending ?? false ? "DESC" : "ASC")"]).joined(separator: ", ")
  }
}
