import SQLite

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
    strata.append(((equal + [sql]).joined(separator: " AND "), row[..<count].filter { $0 != .null } + values))
  }
}
