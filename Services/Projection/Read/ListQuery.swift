import HTTP
import Messaging
import SQLite

/// A list that a client asks for, read from its request. Whatever is wrong is `invalid`, with the parameter's name.
struct ListQuery: Sendable {
  static let defaultLimit = 100
  static let largestLimit = 1000

  struct Order: Sendable {
    let term: Listing.Term
    let isDescending: Bool
  }

  let listing: Listing
  let workspace: String
  /// Nil: everything matches.
  let needle: Needle?
  /// Each filter that was given, with its value.
  let filters: [(filter: Listing.Filter, value: String)]
  let orders: [Order]
  let limit: Int
  let cursor: Cursor?
  /// What a cursor of this query is marked with.
  let fingerprint: String

  init(_ request: Request, _ listing: Listing) throws(Problem) {
    let known = listing.allFilters
    try request.allow(Set(known.map(\.name) + ["workspace", "after", "q", "sort", "limit", "cursor"]))
    self.listing = listing
    workspace = try request.workspace()
    needle = try request.value("q").flatMap(Needle.init)
    var filters: [(filter: Listing.Filter, value: String)] = []
    for filter in known {
      let values = filter.isRepeatable ? request.values(filter.name) : try request.value(filter.name).map { [$0] } ?? []
      filters += values.map { (filter: filter, value: $0) }
    }
    self.filters = filters
    let sort = try request.value("sort") ?? listing.defaultSort
    orders = try Self.orders(sort, listing)
    limit = try request.limit(Self.defaultLimit, most: Self.largestLimit)
    fingerprint = Cursor.fingerprint(
      [listing.kind.name, workspace, needle?.key ?? "", sort] + filters.map { "\($0.filter.name)=\($0.value)" })
    let fingerprint = fingerprint
    let count = orders.count + 1
    cursor = try request.value("cursor").map { (text) throws(Problem) in
      try Cursor(text, for: fingerprint, count: count)
    }
  }

  private static func orders(_ sort: String, _ listing: Listing) throws(Problem) -> [Order] {
    var orders: [Order] = []
    var seen: Set<String> = []
    for part in sort.split(separator: ",", omittingEmptySubsequences: false) {
      // A plus sign that was not encoded arrives as a space.
      let name = part.drop { $0 == "+" || $0 == "-" || $0 == " " }
      let signs = part.count - name.count
      let names = listing.sorts.map(\.name)
      guard signs <= 1, let sort = listing.sort(String(name)) else {
        let hint = Text.nearest(to: String(name), among: names).map { "; did you mean \($0)?" } ?? ""
        throw .invalid(
          "sort",
          "\(listing.kind.plural) cannot be sorted by \"\(part.prefix(100))\", only by "
            + "\(names.joined(separator: ", "))\(hint)")
      }
      guard seen.insert(sort.name).inserted else { throw .invalid("sort", "names \(sort.name) twice") }
      orders += sort.terms.map { Order(term: $0, isDescending: part.hasPrefix("-")) }
    }
    return orders
  }
}

extension Request {
  /// The workspace that is asked about; throws `invalid` for a name that none can have.
  func workspace() throws(Problem) -> String {
    let name = try value("workspace") ?? Workspace.main
    guard Workspace.isValid(name) else {
      throw .invalid("workspace", "must be 1 to 63 small letters, digits, dots, hyphens or underscores")
    }
    return name
  }

  /// `limit=`: how many rows a page has at most.
  func limit(_ standard: Int, most: Int) throws(Problem) -> Int {
    guard let text = try value("limit") else { return standard }
    guard let limit = Int(text), (1...most).contains(limit) else { throw .invalid("limit", "must be 1 to \(most)") }
    return limit
  }
}
