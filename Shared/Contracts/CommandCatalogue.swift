package import Messaging

/// One command: what help, completion and messages about it need to know. The rules themselves are the domain's.
package struct CommandSpec: Sendable {
  /// `tasks.item.add.v1`.
  package let type: String
  /// What it does: one sentence.
  package let doc: String
  /// The kind of entity that the answer's `id` names: `item`.
  package let entity: String
  package let fields: [FieldSpec]

  package init(_ type: String, _ doc: String, entity: String, _ fields: [FieldSpec]) {
    self.type = type
    self.doc = doc
    self.entity = entity
    self.fields = fields
  }

  package var service: Substring { type.prefix { $0 != "." } }
  /// `item.add`: the type without service and version.
  package var verb: Substring { EventType.split(type).name.dropFirst(service.utf8.count + 1) }

  package subscript(field name: String) -> FieldSpec? { fields.first { $0.name == name } }
}

/// One field of a command.
package struct FieldSpec: Sendable {
  package enum Kind: Sendable, Equatable {
    /// A name or title: one line, not blank.
    case name
    /// One line that may be blank.
    case line
    /// A text of several lines.
    case note
    case bool
    case integer
    /// A UUID.
    case id
    /// `YYYY-MM-DD`.
    case day
    /// RFC 3339.
    case time
    /// A UUID or `{"name": …}`, of this kind of entity.
    case reference(String)
    /// A list of names.
    case names
    /// One of these words.
    case choice([String])

    /// What to write there, for people: `YYYY-MM-DD`.
    package var hint: String {
      switch self {
      case .name, .line, .note: "text"
      case .bool: "true or false"
      case .integer: "whole number"
      case .id: "UUID"
      case .day: "YYYY-MM-DD"
      case .time: "RFC 3339 time"
      case .reference(let kind): "UUID of a \(kind), or {\"name\": …}"
      case .names: "list of names"
      case .choice(let words): words.joined(separator: ", ")
      }
    }
  }

  package let name: String
  package let kind: Kind
  package let isRequired: Bool
  /// Whether `null` means something of its own: clear, or none.
  package let isClearable: Bool
  package let doc: String

  /// A field that must be there.
  package static func required(_ name: String, _ kind: Kind, _ doc: String, clearable: Bool = false) -> FieldSpec {
    FieldSpec(name: name, kind: kind, isRequired: true, isClearable: clearable, doc: doc)
  }
  /// A field that may be absent.
  package static func optional(_ name: String, _ kind: Kind, _ doc: String) -> FieldSpec {
    FieldSpec(name: name, kind: kind, isRequired: false, isClearable: false, doc: doc)
  }
  /// A field of an edit: absent keeps, `null` clears.
  package static func clearable(_ name: String, _ kind: Kind, _ doc: String) -> FieldSpec {
    FieldSpec(name: name, kind: kind, isRequired: false, isClearable: true, doc: doc)
  }

  /// What every create takes: the new entity's own id.
  package static let newID = optional("id", .id, "the new entity's own id; made by the service where absent")
  /// What every edit and delete takes.
  package static let ifSequence = optional(
    "ifSequence", .integer, "refuse where the entity has changed since this sequence")
}

/// All commands of one service.
package struct CommandCatalogue: Sendable {
  package let service: String
  package let commands: [CommandSpec]

  package init(service: String, _ commands: [CommandSpec]) {
    self.service = service
    self.commands = commands
  }

  /// The command of a full type: `tasks.item.add.v1`.
  package subscript(type: String) -> CommandSpec? { commands.first { $0.type == type } }

  /// The catalogue of a service, or of the service that a type begins with; nil where there is none.
  package static func of(_ typeOrService: String) -> CommandCatalogue? {
    let service = typeOrService.prefix { $0 != "." }
    return all.first { $0.service == service }
  }

  /// The command of any service.
  package static func command(_ type: String) -> CommandSpec? { of(type)?[type] }

  /// 422 on `type` for a type that no command has, naming the nearest.
  package static func unknownType(_ type: String) -> Problem {
    let known = (of(type).map { [$0] } ?? all).flatMap(\.commands).map(\.type)
    let hint = Text.nearest(to: type, among: known).map { "; did you mean \($0)?" } ?? ""
    return .invalid("type", "there is no command \(type.prefix(200))\(hint)")
  }
}
