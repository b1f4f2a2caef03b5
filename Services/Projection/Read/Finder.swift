import Messaging
import SQLite

/// Looks for a needle in the search keys of a workspace.
///
/// A rank is a pure function of the row and the needle: what it is called comes before other fields, and within each the
/// whole text, its beginning, the beginning of a word, anything else.
struct Finder {
  /// A row that holds the needle in a field of its own.
  typealias Found = (origin: Int64, rank: UInt8)

  /// Other fields than the name rank behind every match in a name.
  static let otherFields: UInt8 = 4

  let needle: Needle
  let workspace: String
  let partitionCount: Int
  let db: Connection

  /// The rows of these kinds that hold the needle, in the order of their origins.
  func found(_ kinds: ClosedRange<Kind>) throws -> [Found] {
    guard needle.isIndexed else { return try Kind.found.filter(kinds.contains).flatMap(scanned) }
    return try needle.isToken && isAlone ? indexed(kinds) : checked(kinds)
  }

  /// Whether all rows in the workspace's range are its own.
  private var isAlone: Bool {
    get throws {
      try db.statement("SELECT name FROM workspace WHERE base = ?")
        .map(Origin.base(of: workspace, partitionCount: partitionCount)) { $0.string(0) } == [workspace]
    }
  }

  /// From the index alone.
  private func indexed(_ kinds: ClosedRange<Kind>) throws -> [Found] {
    var all: [Found] = []
    for (query, rank) in needle.rankedQueries {
      let found = try rows(query, kinds) { (origin: $0, rank: rank) }
      all = all.isEmpty ? found : Self.merged(all, found)
    }
    return all
  }

  /// The rows that the index gives, in order.
  private func rows<T>(_ query: String, _ kinds: ClosedRange<Kind>, _ body: (Int64) -> T) throws -> [T] {
    let range = Origin.range(workspace, kinds, partitionCount: partitionCount)
    return try db.statement("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?")
      .map(query, range.lowerBound, range.upperBound) { body($0.int64(0)) }
  }

  /// Both in order; of a row in both, the first one's rank.
  private static func merged(_ first: [Found], _ second: [Found]) -> [Found] {
    guard !second.isEmpty else { return first }
    var all: [Found] = []
    all.reserveCapacity(first.count + second.count)
    var at = 0
    for found in second {
      while at < first.count, first[at].origin < found.origin {
        all.append(first[at])
        at += 1
      }
      if at == first.count || first[at].origin != found.origin { all.append(found) }
    }
    return all + first[at...]
  }

  /// Checked in each row that the index gives.
  private func checked(_ kinds: ClosedRange<Kind>) throws -> [Found] {
    let keys = try Dictionary(
      uniqueKeysWithValues: Kind.found.map { kind in
        let sql = "SELECT origin, title_search, text_search FROM \(kind) WHERE origin = ? AND workspace = ?"
        return (kind, try db.statement(sql))
      })
    return try rows(needle.indexQuery, kinds) { $0 }.compactMap { origin in
      guard let kind = Origin(number: origin).kind else { return nil }
      return try keys[kind]?.first(origin, workspace) { rank($0, kind) } ?? nil
    }
  }

  /// Looked for in every row.
  private func scanned(_ kind: Kind) throws -> [Found] {
    let range = Origin.range(workspace, kind...kind, partitionCount: partitionCount)
    var found: [Found] = []
    try db.statement(
      """
      SELECT origin, title_search, text_search FROM \(kind) NOT INDEXED
      WHERE origin BETWEEN ? AND ? AND workspace = ?
      """
    ).forEach(range.lowerBound, range.upperBound, workspace) { if let hit = rank($0, kind) { found.append(hit) } }
    return found
  }

  private func rank(_ row: borrowing Row, _ kind: Kind) -> Found? {
    let title = row.withBytes(1) { needle.match($0) }?.rawValue
    // A visitor's other field is the same name the other way round.
    guard title == nil || kind == .visitor else { return title.map { (row.int64(0), UInt8($0)) } }
    let text = row.withBytes(2) { needle.match($0) }.map {
      $0.rawValue + (kind == .visitor ? 0 : Int(Self.otherFields))
    }
    return [title, text].compactMap(\.self).min().map { (row.int64(0), UInt8($0)) }
  }

  // MARK: - What is found by what it belongs to

  /// The kinds that rows of a kind are found in: their own, and those whose names they are found by.
  static func kinds(for kind: Kind) -> ClosedRange<Kind> {
    switch kind {
    case .item: .project ... .tag
    case .book: .book ... .genre
    case .visit: .visitor ... .visitor
    default: kind...kind
    }
  }

  /// All rows of a kind that hold the needle, in a field of their own or in the name of what they belong to, once each.
  /// `found`: all that was found of `kinds(for:)` at least.
  func ranked(_ kind: Kind, in found: [Found]) throws -> [Found] {
    func of(_ kind: Kind) -> ArraySlice<Found> {
      let range = Origin.range(workspace, kind...kind, partitionCount: partitionCount)
      let first = found.partitioningIndex { $0.origin >= range.lowerBound }
      return found[first..<found.partitioningIndex { $0.origin > range.upperBound }]
    }
    var tied: [Int64: UInt8] = [:]
    try tie(kind, to: of) { tied[$0.origin] = min($0.rank, tied[$0.origin] ?? .max) }
    guard !tied.isEmpty else { return Array(of(kind)) }
    let own = of(kind).map { (origin: $0.origin, rank: min($0.rank, tied.removeValue(forKey: $0.origin) ?? .max)) }
    return own + tied.map { (origin: $0.key, rank: $0.value) }
  }

  /// What is tied to rows that were found (items to tags and projects, books to authors and genres, visits to visitors),
  /// each with the rank that the name gives it.
  private func tie(_ kind: Kind, to found: (Kind) -> ArraySlice<Found>, _ body: (Found) -> Void) throws {
    switch kind {
    case .item:
      try tie(found(.tag), "SELECT item FROM item_tag WHERE tag = ?", body)
      try tieInWorkspace(found(.project), "SELECT origin FROM item WHERE workspace = ? AND project = ?", body)
    case .book:
      try tie(found(.author), "SELECT book FROM book_author WHERE author = ?", body)
      try tieInWorkspace(found(.genre), "SELECT origin FROM book WHERE workspace = ? AND genre = ?", body)
    case .visit:
      try tieInWorkspace(found(.visitor), "SELECT origin FROM visit WHERE workspace = ? AND visitor = ?", body)
    default: break
    }
  }

  private func tie(_ found: ArraySlice<Found>, _ sql: String, _ body: (Found) -> Void) throws {
    for (origin, rank) in found {
      try db.statement(sql).forEach(origin) { body(($0.int64(0), rank % Self.otherFields + Self.otherFields)) }
    }
  }

  private func tieInWorkspace(_ found: ArraySlice<Found>, _ sql: String, _ body: (Found) -> Void) throws {
    for (origin, rank) in found {
      try db.statement(sql).forEach(workspace, origin) {
        body(($0.int64(0), rank % Self.otherFields + Self.otherFields))
      }
    }
  }

  /// Origins as a JSON array: how a statement takes a set.
  static func list(_ origins: some Sequence<Int64>) -> String {
    "[\(origins.lazy.map(String.init).joined(separator: ","))]"
  }
}

extension [Finder.Found] {
  /// The first index whose element fulfils what, of elements in order, all behind one that does fulfil.
  fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
