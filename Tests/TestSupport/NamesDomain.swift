package import Contracts
package import Messaging
package import SQLite
package import ServiceKit

/// The smallest service that can go wrong: a set of names, each with an id that the rules make. `names.name.add.v1` and `names.name.remove.v1` take `name`
/// and `touches` (how many events more than one the command makes).
package struct NamesDomain: Domain {
  package static let service = "names"
  package static let schema = [
    """
    CREATE TABLE name (
      workspace TEXT NOT NULL,
      name TEXT NOT NULL,
      id TEXT NOT NULL,
      touched INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (workspace, name)
    ) STRICT, WITHOUT ROWID;
    """
  ]
  package static let tables = [(name: "name", key: "workspace, name")]

  private let find, insert, touch, delete: Statement

  package init(_ db: Connection) throws {
    find = try db.prepare("SELECT 1 FROM name WHERE workspace = ? AND name = ?")
    insert = try db.prepare("INSERT INTO name VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING")
    touch = try db.prepare("UPDATE name SET touched = touched + 1, sequence = ? WHERE workspace = ? AND name = ?")
    delete = try db.prepare("DELETE FROM name WHERE workspace = ? AND name = ?")
  }

  package func decide(_ command: Command, now: Timestamp) throws -> Accepted<NamesEvent> {
    var fields = Fields(command.data)
    let name = fields.required("name", Fields.name, else: "")
    let touches = Int(fields.optional("touches", Fields.integer) ?? 0)
    try fields.finish()
    let isThere = try find.first(command.workspace, name) { _ in true } ?? false
    let touched = Array(repeating: NamesEvent.touched(name), count: touches)
    switch command.type {
    case "names.name.add.v1":
      if isThere { throw Problem.conflict("name-taken", "The name \(name) is taken.") }
      let id = MessageID.next()
      return Accepted(id, [.added(name, id)] + touched)
    case "names.name.remove.v1":
      guard isThere else { throw Problem.notFound("name", name) }
      return Accepted(nil, touched + [.removed(name)])
    case "names.name.fail.v1": throw Failure()
    default: throw Problem.invalid("type", "there is no command \(command.type)")
    }
  }

  package func evolve(_ event: NamesEvent, at place: EventPlace) throws {
    switch event {
    case .added(let name, let id): try insert.run(place.workspace, name, id, place.sequence)
    case .touched(let name): try touch.run(place.sequence, place.workspace, name)
    case .removed(let name): try delete.run(place.workspace, name)
    }
  }

  /// What `names.name.fail.v1` throws: no refusal, a mistake in the rules.
  package struct Failure: Error {}
}

/// The events of `NamesDomain`.
package enum NamesEvent: DomainEvent {
  case added(String, MessageID)
  case touched(String)
  case removed(String)

  package var name: String {
    switch self {
    case .added(let name, _), .touched(let name), .removed(let name): name
    }
  }
  package var type: String {
    switch self {
    case .added: "names.name.added.v1"
    case .touched: "names.name.touched.v1"
    case .removed: "names.name.removed.v1"
    }
  }
  package var subject: String { "name/\(name)" }
  package var data: JSON {
    guard case .added(_, let id) = self else { return ["name": .string(name)] }
    return ["name": .string(name), "id": JSON(id)]
  }

  package init(type: String, data: JSON) throws(ContractError) {
    guard let name = data["name"]?.string else { throw .unreadable(type: type, reason: "name is missing") }
    switch type {
    case "names.name.added.v1":
      guard let id = data["id"]?.string.flatMap(MessageID.init) else {
        throw .unreadable(type: type, reason: "id is missing")
      }
      self = .added(name, id)
    case "names.name.touched.v1": self = .touched(name)
    case "names.name.removed.v1": self = .removed(name)
    default: throw .unknownType(type)
    }
  }
}
