import HTTP
import Messaging
import SQLite

/// A search over everything, read from its request. Whatever is wrong is `invalid`, with the parameter's name.
struct SearchQuery: Sendable {
  let workspace: String
  /// Nil: everything matches.
  let needle: Needle?
  /// Only hits of these kinds; empty: of all.
  let kinds: Set<Kind>
  let limit: Int
  let cursor: Cursor?
  let fingerprint: String

  init(_ request: Request) throws(Problem) {
    try request.allow(["workspace", "after", "q", "kind", "limit", "cursor"])
    workspace = try request.workspace()
    guard let text = try request.value("q") else { throw .invalid("q", "is required: what to search for") }
    needle = Needle(text)
    var kinds: Set<Kind> = []
    for name in request.values("kind") {
      guard let kind = Kind.found.first(where: { $0.name == name }) else {
        throw .invalid("kind", "must be one of \(Kind.found.map(\.name).joined(separator: ", "))")
      }
      kinds.insert(kind)
    }
    self.kinds = kinds
    limit = try request.limit(ListQuery.defaultLimit, most: ListQuery.largestLimit)
    fingerprint = Cursor.fingerprint(
      ["search", workspace, needle?.key ?? ""] + kinds.sorted().map(\.name))
    let fingerprint = fingerprint
    cursor = try request.value("cursor").map { (text) throws(Problem) in
      try Cursor(text, for: fingerprint, count: 3)
    }
  }
}

/// A hit in its place among all hits: by rank, then by kind, then in the order of creation.
struct SearchHit: Comparable {
  let rank: UInt8
  let origin: Int64

  static func < (a: SearchHit, b: SearchHit) -> Bool { (a.rank, a.origin) < (b.rank, b.origin) }
}

extension ReadModel {
  /// `{"items":[{"kind","id","title","match"}],"next","count","asOf"}`.
  func search(_ query: SearchQuery) throws -> [UInt8] {
    let (hits, count) = try hits(of: query)
    let page = hits.prefix(query.limit)
    var out = JSONOutput(capacity: 512 + page.count * 160)
    out.openObject()
    out.key("items")
    out.openArray()
    let writer = SearchHitWriter(db: db, needle: query.needle)
    for hit in page { try writer.write(hit.origin, to: &out) }
    out.closeArray()
    var next: Cursor?
    if hits.count > query.limit, let last = page.last, let kind = Origin(number: last.origin).kind {
      let place = [Int64(last.rank), kind.rawValue, Origin(number: last.origin).sequence]
      next = Cursor(query: query.fingerprint, values: place.map(Value.integer))
    }
    try finish(&out, next: next, count: count, ["library", "tasks", "visitorlog"], query.workspace)
    return out.bytes
  }

  /// The hits behind the cursor in order, one more than the page holds where there are so many, and how many there are
  /// in all.
  private func hits(of query: SearchQuery) throws -> (hits: [SearchHit], count: Int) {
    var all = try query.needle.map { try hits($0, in: query.workspace) } ?? everything(in: query.workspace)
    if !query.kinds.isEmpty {
      all.removeAll { hit in Origin(number: hit.origin).kind.map { !query.kinds.contains($0) } ?? true }
    }
    let count = all.count
    if let place = query.cursor.flatMap(place) { all.removeAll { $0 <= place } }
    return (all.smallest(query.limit + 1), count)

    func place(_ cursor: Cursor) -> SearchHit? {
      guard case .integer(let rank) = cursor.values[0], case .integer(let kind) = cursor.values[1],
        case .integer(let sequence) = cursor.values[2], let kind = Kind(rawValue: kind),
        let rank = UInt8(exactly: rank)
      else { return nil }
      let origin = Origin(query.workspace, kind, sequence: sequence, partitionCount: partitionCount)
      return SearchHit(rank: rank, origin: origin.number)
    }
  }

  private func hits(_ needle: Needle, in workspace: String) throws -> [SearchHit] {
    let finder = Finder(needle: needle, workspace: workspace, partitionCount: partitionCount, db: db)
    let found = try finder.found(.project ... .badge)
    return try Kind.found.flatMap { kind in
      try finder.ranked(kind, in: found).map { SearchHit(rank: $0.rank, origin: $0.origin) }
    }
  }

  private func everything(in workspace: String) throws -> [SearchHit] {
    try Kind.found.flatMap { kind in
      try db.statement("SELECT origin FROM \(kind) WHERE workspace = ?").map(workspace) {
        SearchHit(rank: 0, origin: $0.int64(0))
      }
    }
  }
}

extension [SearchHit] {
  /// The first so many in order, without putting the rest in order where there are many.
  fileprivate func smallest(_ count: Int) -> [SearchHit] {
    guard self.count > count * 8 else { return Array(sorted().prefix(count)) }
    var best: [SearchHit] = []
    best.reserveCapacity(count * 2)
    var bar: SearchHit?
    for hit in self {
      if let bar, bar < hit { continue }
      best.append(hit)
      if best.count == count * 2 {
        best.sort()
        best.removeLast(count)
        bar = best.last
      }
    }
    return Array(best.sorted().prefix(count))
  }
}
