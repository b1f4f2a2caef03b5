import Contracts
import Messaging

/// One write, ready to be sent.
struct Write: Sendable {
  /// As the person named what it is about.
  var label: String
  var data: JSONObject
}

/// A verb that sends commands of one type. Its options come from the contract's fields.
struct Verb: Sendable {
  /// What its arguments are.
  enum Subject: Sendable {
    /// New entities: each argument is this field of one.
    case new(field: String, argument: String)
    /// Entities that are there: each argument names one.
    case existing(Noun, field: String)
    /// One entity, then its new text.
    case renamed(Noun, field: String, to: String)
    /// One entity, then others that each get a command with it: `tag assign TAG ITEM…`.
    case pair(Noun, field: String, with: Noun, otherField: String)
    /// What does not fit: the arguments, and the writes they make.
    case custom([Argument], @Sendable (Context, [String]) async throws -> [Write])
  }

  var name: String
  var synonyms: [String] = []
  var type: String
  /// What a report begins with: `Added`.
  var past: String
  var subject: Subject
  var summary: String?
  var examples: [String] = []
  /// Options that go by another name than the field's usual one.
  var names: [String: String] = [:]
  /// Fields that this verb does not offer.
  var without: Set<String> = []
  /// Options beside the fields'.
  var more: [Option] = []
  /// Changes the data of every write by those options.
  var adjust: (@Sendable (Context, inout JSONObject) throws -> Void)?
  /// For deletes: what else goes or changes, told before it happens.
  var impact: Impact?

  var spec: CommandSpec? { CommandCatalogue.command(type) }

  /// The kind of entity that it makes or changes.
  var kind: String { spec?.entity ?? String(type.split(separator: ".").dropFirst().first ?? "") }

  var isDelete: Bool { impact != nil }
}

extension Verb {
  /// The option for a field where a verb says nothing else.
  static let optionNames = [
    "dueOn": "due", "startsOn": "starts", "endsOn": "ends", "createdAt": "created", "addedAt": "added",
    "registeredAt": "registered", "arrivedAt": "arrived", "departedAt": "departed", "firstName": "first",
    "lastName": "last", "isRead": "read", "readOn": "read-on", "completedAt": "completed", "ifSequence": "if-sequence",
    "tags": "tag", "authors": "author",
  ]

  func optionName(_ field: FieldSpec) -> String { names[field.name] ?? Verb.optionNames[field.name] ?? field.name }

  /// The fields that are options.
  var fields: [FieldSpec] {
    var taken = without
    switch subject {
    case .new(let field, _): taken.insert(field)
    case .existing(_, let field): taken.insert(field)
    case .renamed(_, let field, let to): taken.formUnion([field, to])
    case .pair(_, let field, _, let other): taken.formUnion([field, other])
    case .custom: break
    }
    return (spec?.fields ?? []).filter { !taken.contains($0.name) }
  }

  /// The options of a field: one that sets it, and one that clears it where it can be.
  func options(_ field: FieldSpec) -> [Option] {
    let name = optionName(field)
    let help = field.doc.split(separator: ";").first.map(String.init) ?? field.doc
    var options: [Option] =
      switch field.kind {
      case .bool: [.flag(name, field.doc)]
      case .day: [.value(name, "DATE", "\(help) (YYYY-MM-DD, today, tomorrow)")]
      case .time: [.value(name, "TIME", "\(help) (HH:MM, a date, or both)")]
      case .integer: [.value(name, "N", field.doc)]
      case .id: [.value(name, "UUID", field.doc)]
      case .names: [.value(name, "NAME", repeatable: true, field.doc)]
      case .reference: [.value(name, "NAME", "\(help), by name or id")]
      case .choice(let words): [.value(name, "WORD", choices: words, field.doc)]
      case .name, .line, .note: [.value(name, "TEXT", help)]
      }
    if field.isClearable { options.append(.flag("no-\(name)", "no \(name) any more")) }
    return options
  }

  /// What the options say, as the members of the command's data.
  func data(_ context: Context) async throws -> JSONObject {
    var data = JSONObject()
    for field in fields {
      let name = optionName(field)
      let clears = field.isClearable && context.invocation.has("no-\(name)")
      if clears {
        guard !context.invocation.has(name) else {
          throw Failure.usage("--\(name) and --no-\(name) exclude one another")
        }
        data[field.name] = .null
      } else if context.invocation.has(name) {
        data[field.name] = try await value(field, "--\(name)", context.invocation.values(name), context)
      } else if field.isRequired {
        let other = field.isClearable ? " or --no-\(name)" : ""
        throw Failure.usage("\(context.invocation.words) needs --\(name)\(other)")
      }
    }
    try adjust?(context, &data)
    return data
  }

  private func value(_ field: FieldSpec, _ option: String, _ values: [String], _ context: Context) async throws -> JSON
  {
    let text = values.last ?? ""
    switch field.kind {
    case .bool: return true
    case .day: return JSON(try context.clock.day(text))
    case .time: return JSON(try context.clock.moment(text))
    case .names: return .array(values.map(JSON.string))
    case .name, .line, .note, .choice: return .string(text)
    case .integer:
      guard let number = Int64(text) else { throw Failure.usage("\(option) takes a whole number, not \"\(text)\"") }
      return .integer(number)
    case .id:
      guard let id = MessageID(text) else { throw Failure.usage("\(option) takes a UUID, not \"\(text)\"") }
      return JSON(id)
    case .reference(let kind):
      guard let noun = Nouns.named(kind) else { return .string(text) }
      return try await context.reference(noun, text)
    }
  }
}
