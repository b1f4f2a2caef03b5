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
    if try needle.isToken && needle.isIndexed && isAlone { return try indexed(kinds) }
    return try Kind.found.filter(kinds.contains).flatMap(checked)
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
    let range = Origin.range(workspace, kinds, partitionCount: partitionCount)
    var all: [Found] = []
    for (query, rank) in needle.rankedQueries {
      var found: [Found] = []
      try db.statement("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?")
        .forEach(query, range.lowerBound, range.upperBound) { found.append(($0.int64(0), rank)) }
      all = all.isEmpty ? found : Self.merged(all, found)
    }
    return all
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

  /// Checked in each row that the index gives, or in every row where it has no query for the needle.
  private func checked(_ kind: Kind) throws -> [Found] {
    let range = Origin.range(workspace, kind...kind, partitionCount: partitionCount)
    var found: [Found] = []
    func take(_ row: borrowing Row) { if let hit = rank(row, kind) { found.append(hit) } }
    if needle.isIndexed {
      try db.statement(
        """
        SELECT e.origin, e.title_search, e.text_search FROM search CROSS JOIN \(kind) AS e ON e.origin = search.rowid
        WHERE search MATCH ? AND search.rowid BETWEEN ? AND ? AND e.workspace = ?
        """
      ).forEach(needle.indexQuery, range.lowerBound, range.upperBound, workspace) { take($0) }
    } else {
      try db.statement(
        """
        SELECT origin, title_search, text_search FROM \(kind) NOT INDEXED
        WHERE origin BETWEEN ? AND ? AND workspace = ?
        """
      ).forEach(range.lowerBound, range.upperBound, workspace) { take($0) }
    }
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

  /// What is tied to rows that were found (items to tags and projects, books to authors and genres, visits to visitors),
  /// each with the rank that the name gives it.
  func tied(_ kind: Kind, to found: [Kind: ArraySlice<Found>], _ body: (Found) -> Void) throws {
    switch kind {
    case .item:
      try tie(found[.tag], "SELECT item FROM item_tag WHERE tag = ?", body)
      try tieInWorkspace(found[.project], "SELECT origin FROM item WHERE workspace = ? AND project = ?", body)
    case .book:
      try tie(found[.author], "SELECT book FROM book_author WHERE author = ?", body)
      try tieInWorkspace(found[.genre], "SELECT origin FROM book WHERE workspace = ? AND genre = ?", body)
    case .visit:
      try tieInWorkspace(found[.visitor], "SELECT origin FROM visit WHERE workspace = ? AND visitor = ?", body)
    default: break
    }
  }

  /// The kinds whose names a kind is found by.
  static func names(of kind: Kind) -> [Kind] {
    switch kind {
    case .item: [.project, .tag]
    case .book: [.author, .genre]
    case .visit: [.visitor]
    default: []
    }
  }

  private func tie(_ found: ArraySlice<Found>?, _ sql: String, _ body: (Found) -> Void) throws {
    for (origin, rank) in found ?? [] {
      try db.statement(sql).forEach(origin) { body(($0.int64(0), rank % Self.otherFields + Self.otherFields)) }
    }
  }

  private func tieInWorkspace(_ found: ArraySlice<Found>?, _ sql: String, _ body: (Found) -> Void) throws {
    for (origin, rank) in found ?? [] {
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
