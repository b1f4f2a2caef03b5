import Contracts
import Messaging
import SQLite

/// Writes hits: reads again, of a whole page at most, what people called the entity and where the needle is in it.
struct SearchHitWriter {
  let db: Connection
  let needle: Needle?

  /// `{"kind","id","title","match"}`; nothing where it is not there.
  func write(_ origin: Int64, to out: inout JSONOutput) throws {
    guard let kind = Origin(number: origin).kind, let hit = try entity(kind, origin) else { return }
    out.openObject()
    out.key("kind")
    out.text(kind.name)
    out.key("id")
    out.text(hit.id)
    out.key("title")
    out.text(hit.title)
    out.key("match")
    out.text(try match(kind, origin, hit))
    out.closeObject()
  }

  private struct Entity {
    let id: String
    let title: String
    /// A note, a review, a name the other way round.
    let text: String?
  }

  private func entity(_ kind: Kind, _ origin: Int64) throws -> Entity? {
    let columns =
      switch kind {
      case .project, .tag, .author, .genre: "id, name, NULL"
      case .item: "id, title, note"
      case .book: "id, title, review"
      case .badge: "id, number, NULL"
      case .visitor: "id, last_name, first_name"
      case .visit: "id, '', NULL"
      }
    return try db.statement("SELECT \(columns) FROM \(kind) WHERE origin = ?").first(origin) { row in
      guard kind == .visitor else { return Entity(id: row.string(0), title: row.string(1), text: row.stringOrNil(2)) }
      let (last, first) = (row.string(1), row.string(2))
      return Entity(
        id: row.string(0), title: VisitorName.listed(first: first, last: last),
        text: VisitorName.full(first: first, last: last))
    }
  }

  /// The field with the best match, marked.
  private func match(_ kind: Kind, _ origin: Int64, _ entity: Entity) throws -> String {
    guard let needle else { return entity.title }
    let title = rank(entity.title, needle)
    if let title, kind != .visitor || title == .exact { return Highlight.mark(entity.title, needle) }
    var best: (text: String, rank: Needle.Class)? = title.map { (entity.title, $0) }
    func consider(_ text: String) {
      guard let rank = rank(text, needle), rank.rawValue < best?.rank.rawValue ?? .max else { return }
      best = (text, rank)
    }
    if let text = entity.text { consider(text) }
    for name in try names(kind, origin) { consider(name) }
    return best.map { Highlight.mark($0.text, needle) } ?? entity.title
  }

  private func rank(_ text: String, _ needle: Needle) -> Needle.Class? {
    var key = Text.searchKey(text)
    return key.withUTF8 { needle.match(UnsafeRawBufferPointer($0)) }
  }

  /// The names that an entity is found by beside its own fields.
  private func names(_ kind: Kind, _ origin: Int64) throws -> [String] {
    let sql: String
    switch kind {
    case .item:
      sql = """
        SELECT t.name FROM item_tag AS x CROSS JOIN tag AS t ON t.origin = x.tag WHERE x.item = ?1
        UNION ALL SELECT p.name FROM item AS i CROSS JOIN project AS p ON p.origin = i.project WHERE i.origin = ?1
        """
    case .book:
      sql = """
        SELECT a.name FROM book_author AS x CROSS JOIN author AS a ON a.origin = x.author WHERE x.book = ?1
        UNION ALL SELECT g.name FROM book AS b CROSS JOIN genre AS g ON g.origin = b.genre WHERE b.origin = ?1
        """
    default: return []
    }
    return try db.statement(sql).map(origin) { $0.string(0) }
  }
}
