import Messaging
import SQLite

/// Finds which entity is meant: by id, by any name it ever had, or by the ending of its id. Also what is gone.
enum EntityResolver {
  private struct Candidate {
    let service: String
    let kind: String
    let id: String
    let name: String?
    let isGone: Bool

    init(_ row: borrowing Row) {
      service = row.string(0)
      kind = row.string(1)
      id = row.string(2)
      name = row.stringOrNil(3)
      isGone = row.bool(4)
    }

    var json: JSON {
      ["id": .string(id), "kind": .string(kind), "name": JSON(name), "gone": JSON(isGone)]
    }
  }

  /// The id, of `text` or `kind/text` (`item/Buy milk`). Throws `not-found`, or `ambiguous` with the candidates; where
  /// exactly one of several is still there, that one is meant.
  static func resolve(_ text: String, workspace: String, _ db: Connection) throws -> String {
    if let id = MessageID(text) { return id.description }
    if let subject = Subject(text) { return subject.id }
    var found = try candidates(text, kind: nil, workspace, db)
    if found.isEmpty, let slash = text.firstIndex(of: "/") {
      found = try candidates(
        String(text[text.index(after: slash)...]), kind: String(text[..<slash]), workspace, db)
    }
    guard let first = found.first else { throw Problem.notFound("entity", "\"\(text)\" in the history") }
    if found.count == 1 { return first.id }
    let living = found.filter { !$0.isGone }
    if living.count == 1 { return living[0].id }
    throw Problem.conflict(
      "ambiguous", "\"\(text)\" names \(found.count) entities; give an id.",
      ["count": JSON(found.count), "candidates": .array(found.prefix(20).map(\.json))])
  }

  private static func candidates(
    _ text: String, kind: String?, _ workspace: String, _ db: Connection
  ) throws -> [Candidate] {
    for (key, isExact) in [(Text.uniqueKey(text), true), (Text.searchKey(text), false)] where !key.isEmpty {
      let named = try db.statement(
        """
        SELECT e.service, e.kind, e.id, e.name, e.is_gone FROM entity_name n
        JOIN entity e USING (workspace, service, kind, id)
        WHERE n.workspace = ? AND n.key = ? AND n.is_exact >= ? AND (?4 IS NULL OR e.kind = ?4)
        ORDER BY e.service, e.kind, e.id
        """
      ).map(workspace, key, isExact, kind) { Candidate($0) }
      if !named.isEmpty { return named }
    }
    let ending = text.lowercased()
    guard ending.utf8.count >= 4, ending.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit || $0 == 0x2d })
    else { return [] }
    return try db.statement(
      """
      SELECT service, kind, id, name, is_gone FROM entity
      WHERE workspace = ?1 AND substr(id, -length(?2)) = ?2 AND (?3 IS NULL OR kind = ?3) ORDER BY service, kind, id
      """
    ).map(workspace, ending, kind) { Candidate($0) }
  }
}
