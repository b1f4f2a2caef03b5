import Messaging
import SQLite

/// What one list offers: `GET /v1/items`. The SQL of a listing calls the entity's own row `e`.
struct Listing: Sendable {
  /// Something that a list can be sorted by.
  struct Sort: Sendable {
    /// `createdAt`, as clients write it.
    let name: String
    let terms: [Term]

    init(_ name: String, _ terms: Term...) {
      self.name = name
      self.terms = terms
    }
  }

  /// A part of a sort: an expression, and whether it can be NULL. NULL goes last in either direction.
  struct Term: Sendable {
    let sql: String
    let isNullable: Bool
    static func always(_ sql: String) -> Term { Term(sql: sql, isNullable: false) }
    static func maybe(_ sql: String) -> Term { Term(sql: sql, isNullable: true) }
  }

  /// A parameter that leaves rows out.
  struct Filter: Sendable {
    /// `due-before`, as clients write it.
    let name: String
    /// Whether it may stand more than once: all of them must hold.
    let isRepeatable: Bool
    let read: @Sendable (String, FilterContext) throws -> Restriction

    init(
      _ name: String, isRepeatable: Bool = false,
      _ read: @escaping @Sendable (String, FilterContext) throws -> Restriction
    ) {
      self.name = name
      self.isRepeatable = isRepeatable
      self.read = read
    }
  }

  let kind: Kind
  /// Joins that sorts refer to; each finds one row at most.
  var joins = ""
  let sorts: [Sort]
  /// As `sort` would say it: `-createdAt`.
  let defaultSort: String
  let filters: [Filter]

  func sort(_ name: String) -> Sort? { sorts.first { $0.name == name } }

  /// Those of this listing, and `id`, which every one has.
  var allFilters: [Filter] { filters + [.idEnding(kind)] }

  static func of(_ kind: Kind) -> Listing {
    switch kind {
    case .project: projects
    case .item: items
    case .tag: tags
    case .book: books
    case .author: authors
    case .genre: genres
    case .visitor: visitors
    case .visit: visits
    case .badge: badges
    }
  }
}

/// What a filter may look at while it is read: the snapshot and the workspace of the query.
struct FilterContext {
  let db: Connection
  let workspace: String
}

/// What a filter's value comes to.
enum Restriction {
  /// It names what is not there: no row fits.
  case nothing
  /// A condition on `e`. `count`: how many rows fit it, where that is known; `order`: what an index gives those rows in
  /// the order of.
  case condition(String, [Value], count: Int? = nil, order: String? = nil)
  /// These rows, few of them.
  case rows([Int64])
  /// The rows that a table of links ties to one entity: `item_tag`, whose `tag` is that origin.
  case linked(Link, Int64, count: Int)

  /// A table of links, its column for the row that is filtered, and its column for what it is filtered by.
  struct Link: Sendable {
    let table: String
    let row: String
    let by: String
  }
}
