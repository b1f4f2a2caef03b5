import Messaging
import SQLite

/// What a needle is found in, within a workspace: origins with their rank.
///
/// A rank is a pure function of the row and the needle: what it is called comes before other fields, and within each the
/// whole text, its beginning, the beginning of a word, anything else.
struct Matches {
  private(set) var ranks: [Int64: UInt8] = [:]

  /// Other fields than the name rank behind every match in a name.
  static let otherFields: UInt8 = 4

  private let db: Connection
  private let needle: Needle
  private let workspace: String

  /// Looks in what a list of that kind is searched by, or, for nil, in everything.
  init(_ needle: Needle, of kind: Kind?, in workspace: String, partitionCount: Int, _ db: Connection) throws {
    self.db = db
    self.needle = needle
    self.workspace = workspace
    let kinds = kind?.searched ?? .project ... .badge
    try findDocuments(Origin.range(workspace, kinds, partitionCount: partitionCount))
    if kinds.contains(.item) { try addItems() }
    if kinds.contains(.book) { try addBooks() }
    if kind == .visit { try addVisits() }
    if let kind { ranks = ranks.filter { Origin(number: $0.key).kind == kind } }
  }

  private mutating func findDocuments(_ range: ClosedRange<Int64>) throws {
    if let query = needle.indexQuery {
      try db.statement(
        """
        SELECT d.origin, d.title, d.text FROM search CROSS JOIN document AS d ON d.origin = search.rowid
        WHERE search MATCH ?1 AND search.rowid BETWEEN ?2 AND ?3 AND d.workspace = ?4
        """
      ).forEach(query, range.lowerBound, range.upperBound, workspace) { add(document: $0) }
    } else {
      // Too short for the index: every document of the range.
      try db.statement(
        "SELECT origin, title, text FROM document WHERE origin BETWEEN ? AND ? AND workspace = ?"
      ).forEach(range.lowerBound, range.upperBound, workspace) { add(document: $0) }
    }
  }

  private mutating func add(document row: borrowing Row) {
    let origin = row.int64(0)
    let title = row.withBytes(1) { needle.match($0) }
    if let title { put(origin, UInt8(title.rawValue)) }
    // A visitor's other field is the same name the other way round.
    let isName = Origin(number: origin).kind == .visitor
    guard title == nil || isName, let text = row.withBytes(2, { needle.match($0) }) else { return }
    put(origin, UInt8(text.rawValue) + (isName ? 0 : Self.otherFields))
  }

  /// The items of the tags and projects that match.
  private mutating func addItems() throws {
    for (tag, rank) in found(.tag) {
      try db.statement("SELECT item FROM item_tag WHERE tag = ?").forEach(tag) { put($0.int64(0), rank) }
    }
    for (project, rank) in found(.project) {
      try db.statement("SELECT origin FROM item WHERE workspace = ? AND project = ?")
        .forEach(workspace, project) { put($0.int64(0), rank) }
    }
  }

  /// The books of the authors and genres that match.
  private mutating func addBooks() throws {
    for (author, rank) in found(.author) {
      try db.statement("SELECT book FROM book_author WHERE author = ?").forEach(author) { put($0.int64(0), rank) }
    }
    for (genre, rank) in found(.genre) {
      try db.statement("SELECT origin FROM book WHERE workspace = ? AND genre = ?")
        .forEach(workspace, genre) { put($0.int64(0), rank) }
    }
  }

  private mutating func addVisits() throws {
    for (visitor, rank) in found(.visitor) {
      try db.statement("SELECT origin FROM visit WHERE workspace = ? AND visitor = ?")
        .forEach(workspace, visitor) { put($0.int64(0), rank) }
    }
  }

  /// What was found of a kind, with the rank that it gives to what it belongs to.
  private func found(_ kind: Kind) -> [(origin: Int64, rank: UInt8)] {
    ranks.filter { Origin(number: $0.key).kind == kind }.map {
      ($0.key, $0.value % Self.otherFields + Self.otherFields)
    }
  }

  private mutating func put(_ origin: Int64, _ rank: UInt8) {
    ranks[origin] = min(rank, ranks[origin] ?? .max)
  }
}
