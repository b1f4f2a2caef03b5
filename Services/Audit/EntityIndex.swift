import Messaging
import SQLite
import ServiceKit

/// Keeps which records name an entity, and every name that an entity ever had: what `history "Buy milk"` is looked up
/// in, also when the item is gone. It goes by the form that all events share: `id`, `before`/`after`, `last`, and names
/// as `title`, `name`, `number`, or `firstName` and `lastName`.
final class EntityIndex {
  private let addMention: Statement
  private let findEntity: Statement
  private let storeEntity: Statement
  private let addName: Statement

  init(_ db: Connection) throws {
    addMention = try db.prepare("INSERT INTO mention VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
    findEntity = try db.prepare(
      """
      SELECT name, first_name, last_name, is_gone FROM entity
      WHERE workspace = ? AND service = ? AND kind = ? AND id = ?
      """)
    storeEntity = try db.prepare(
      """
      INSERT INTO entity VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT DO UPDATE SET name = ?5, first_name = ?6, last_name = ?7, is_gone = ?8
      """)
    addName = try db.prepare(
      """
      INSERT INTO entity_name VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET is_exact = 1 WHERE excluded.is_exact
      """)
  }

  func index(_ message: Message, _ sequence: Int64, _ partition: ServicePartition) throws {
    let data = (try? JSON(parsing: message.data)) ?? .null
    var ids: Set<String> = []
    if message.endsCommand {
      // An accepted command's events tell of it; a refused one only its answer.
      guard let answer = data["answer"], answer["status"] != "accepted" else { return }
      Self.collect(answer, into: &ids, without: "command")
    } else {
      Self.collect(data, into: &ids)
    }
    let subject = message.subject.flatMap(Subject.init)
    if let subject { ids.insert(subject.id) }
    for id in ids {
      try addMention.run(message.workspace, id, partition.service, partition.partition, sequence)
    }
    if let subject, !message.endsCommand { try store(subject, data, message.workspace, partition.service) }
  }

  /// Every UUID among the values.
  private static func collect(_ json: JSON, into ids: inout Set<String>, without key: String? = nil) {
    switch json {
    case .string(let text):
      if text.utf8.count == 36, let id = MessageID(text) { ids.insert(id.description) }
    case .array(let values): for value in values { collect(value, into: &ids) }
    case .object(let object):
      for member in object.members where member.key != key { collect(member.value, into: &ids) }
    default: break
    }
  }

  private func store(_ subject: Subject, _ data: JSON, _ workspace: String, _ service: String) throws {
    let known = try findEntity.first(workspace, service, subject.kind, subject.id) { row in
      (
        name: EntityNames(name: row.stringOrNil(0), first: row.stringOrNil(1), last: row.stringOrNil(2)),
        isGone: row.bool(3)
      )
    }
    let last = data["last"]
    let isGone = last != nil
    var names = isGone || known?.isGone == true ? EntityNames() : known?.name ?? EntityNames()
    names.take(last ?? data["after"] ?? data)
    if isGone, names == EntityNames(), let known { names = known.name }
    if let known, known.name == names, known.isGone == isGone { return }
    try storeEntity.run(
      workspace, service, subject.kind, subject.id, names.name, names.first, names.last, isGone)
    if names == known?.name { return }
    for text in names.all {
      let (exact, loose) = (Text.uniqueKey(text), Text.searchKey(text))
      try addName.run(workspace, exact, service, subject.kind, subject.id, true)
      if loose != exact { try addName.run(workspace, loose, service, subject.kind, subject.id, false) }
    }
  }
}

/// `item/<id>`, taken apart.
struct Subject: Equatable {
  let kind: String
  let id: String

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = MessageID(String(parts[1])) else { return nil }
    kind = String(parts[0])
    self.id = id.description
  }
}

/// What an entity is called.
struct EntityNames: Equatable {
  var name: String?
  var first: String?
  var last: String?

  /// Takes over what an event says of it; what it does not say stays.
  mutating func take(_ json: JSON) {
    if let text = (json["title"] ?? json["name"] ?? json["number"])?.string, !text.isEmpty { name = text }
    guard json["firstName"] != nil || json["lastName"] != nil else { return }
    if let text = json["firstName"] { first = text.string }
    if let text = json["lastName"] { last = text.string }
    let parts = [last, first].compactMap { $0 }.filter { !$0.isEmpty }
    name = parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Everything that people call it.
  var all: Set<String> {
    var all: Set<String> = []
    if let name { all.insert(name) }
    if let last, !last.isEmpty {
      all.insert(last)
      if let first, !first.isEmpty { all.formUnion(["\(first) \(last)", "\(last) \(first)"]) }
    }
    return all
  }
}
