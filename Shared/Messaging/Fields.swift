/// Reads the members of a JSON object by name and type, collecting what is wrong with each, and refuses members that
/// nobody asked for. Used once per document: read every field, then call `finish`.
///
///     var fields = Fields(command.data)
///     let title = fields.name("title")
///     let due = fields.optional("dueOn", Fields.day)
///     try fields.finish()
///
/// After a wrong field a reader gives a stand-in value, and `finish` throws: no rule ever sees the stand-in.
package struct Fields {
  /// Names, titles, notes and reviews: limits in Unicode scalars.
  package enum Limit {
    package static let name = 200
    package static let note = 10_000
  }

  /// An edit's field: absent means keep, `null` means clear.
  package enum Change<Value> {
    case keep
    case clear
    case set(Value)
  }

  private let object: JSONObject
  private let prefix: String
  private var asked: Set<String> = []
  package private(set) var errors: [Problem.FieldError] = []

  /// `prefix` stands before field names in errors (`tag.` for a nested object).
  package init(_ object: JSONObject, prefix: String = "") {
    self.object = object
    self.prefix = prefix
  }

  /// The raw member, marked as asked for; nil where it is absent.
  package mutating func raw(_ field: String) -> JSON? {
    asked.insert(field)
    return object[field]
  }

  /// Notes an error of a field.
  package mutating func fail(_ field: String, _ message: String) {
    errors.append(.init(field: prefix + field, message: message))
  }

  /// Throws `invalid` with all errors, unknown members among them.
  package mutating func finish() throws(Problem) {
    for key in object.keys where !asked.contains(key) {
      let hint = Text.nearest(to: key, among: asked.sorted()).map { "; did you mean \(prefix)\($0)?" } ?? ""
      fail(key, "is not a field of this command\(hint)")
    }
    if !errors.isEmpty { throw .invalid(errors) }
  }

  /// A reader of one JSON value: the value, or what is wrong with it.
  package typealias Reader<Value> = (JSON) -> Result<Value, Wrong>
  /// What is wrong with a value, as the end of a sentence that starts with the field's name.
  package struct Wrong: Error {
    package let message: String
    package init(_ message: String) { self.message = message }
  }

  /// A field that must be there.
  package mutating func required<V>(_ field: String, _ reader: Reader<V>, else standIn: V) -> V {
    guard let json = raw(field), !json.isNull else {
      fail(field, "is required")
      return standIn
    }
    return read(field, json, reader) ?? standIn
  }

  /// A field that may be absent or null: both mean nil.
  package mutating func optional<V>(_ field: String, _ reader: Reader<V>) -> V? {
    guard let json = raw(field), !json.isNull else { return nil }
    return read(field, json, reader)
  }

  /// A field of an edit: absent keeps, null clears.
  package mutating func change<V>(_ field: String, _ reader: Reader<V>) -> Change<V> {
    guard let json = raw(field) else { return .keep }
    if json.isNull { return .clear }
    return read(field, json, reader).map(Change.set) ?? .keep
  }

  /// A field of an edit that cannot be cleared.
  package mutating func changeRequired<V>(_ field: String, _ reader: Reader<V>) -> V? {
    switch change(field, reader) {
    case .keep: return nil
    case .set(let value): return value
    case .clear:
      fail(field, "cannot be cleared")
      return nil
    }
  }

  private mutating func read<V>(_ field: String, _ json: JSON, _ reader: Reader<V>) -> V? {
    switch reader(json) {
    case .success(let value): return value
    case .failure(let wrong):
      fail(field, wrong.message)
      return nil
    }
  }
}

// MARK: - Readers

extension Fields {
  /// A name or title: normalised, not blank, at most 200 scalars, no control characters.
  package static func name(_ json: JSON) -> Result<String, Wrong> {
    text(json, limit: Limit.name, lines: false).flatMap {
      isBlank($0) ? .failure(Wrong("must not be blank")) : .success($0)
    }
  }
  /// A note or review: normalised, at most 10,000 scalars, new lines and tabs allowed. Blank counts as empty.
  package static func note(_ json: JSON) -> Result<String, Wrong> { text(json, limit: Limit.note, lines: true) }
  /// A short text that may be blank (a first name).
  package static func line(_ json: JSON) -> Result<String, Wrong> { text(json, limit: Limit.name, lines: false) }

  private static func text(_ json: JSON, limit: Int, lines: Bool) -> Result<String, Wrong> {
    guard case .string(let raw) = json else { return .failure(Wrong("must be a text")) }
    let text = Text.normalized(raw)
    guard text.unicodeScalars.count <= limit else {
      return .failure(Wrong("must have at most \(limit) characters, not \(text.unicodeScalars.count)"))
    }
    for scalar in text.unicodeScalars where isControl(scalar) {
      if lines, scalar == "\n" || scalar == "\t" { continue }
      return .failure(Wrong("must not hold control characters"))
    }
    return .success(text)
  }

  /// Nothing that can be seen: white space, and what is never drawn (zero-width spaces and joiners).
  private static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
  }

  /// Exactly the scalars of Unicode's category Cc.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  package static func bool(_ json: JSON) -> Result<Bool, Wrong> {
    json.bool.map(Result.success) ?? .failure(Wrong("must be true or false"))
  }
  package static func integer(_ json: JSON) -> Result<Int64, Wrong> {
    json.integer.map(Result.success) ?? .failure(Wrong("must be a whole number"))
  }
  package static func id(_ json: JSON) -> Result<MessageID, Wrong> {
    json.string.flatMap(MessageID.init).map(Result.success) ?? .failure(Wrong("must be a UUID"))
  }
  package static func day(_ json: JSON) -> Result<Day, Wrong> {
    json.string.flatMap(Day.init).map(Result.success) ?? .failure(Wrong("must be a date, YYYY-MM-DD"))
  }
  /// RFC 3339 text.
  package static func time(_ json: JSON) -> Result<Timestamp, Wrong> {
    json.string.flatMap(Timestamp.init).map(Result.success)
      ?? .failure(Wrong("must be a time, such as 2026-05-25T08:30:00Z"))
  }
  /// An id as text, or `{"name": …}`.
  package static func reference(_ json: JSON) -> Result<Reference, Wrong> {
    switch json {
    case .string(let text):
      return MessageID(text).map { .success(.id($0)) } ?? .failure(Wrong("must be a UUID or {\"name\": …}"))
    case .object(let object):
      guard object.members.count == 1, let name = object["name"] else {
        return .failure(Wrong("must be a UUID or {\"name\": …}"))
      }
      return Fields.name(name).map(Reference.name)
    default: return .failure(Wrong("must be a UUID or {\"name\": …}"))
    }
  }
  /// One of these words.
  package static func choice(_ words: [String]) -> Reader<String> {
    { json in
      guard let word = json.string, words.contains(word) else {
        return .failure(Wrong("must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"))
      }
      return .success(word)
    }
  }
  /// A list, each element by `reader`, at most `limit` of them.
  package static func list<V>(_ reader: @escaping Reader<V>, limit: Int) -> Reader<[V]> {
    { json in
      guard case .array(let elements) = json else { return .failure(Wrong("must be a list")) }
      guard elements.count <= limit else { return .failure(Wrong("must have at most \(limit) entries")) }
      var values: [V] = []
      for element in elements {
        switch reader(element) {
        case .success(let value): values.append(value)
        case .failure(let wrong): return .failure(Wrong("has an entry that \(wrong.message)"))
        }
      }
      return .success(values)
    }
  }
}

/// How a command names an entity: by its id, or by its name, which the owner resolves inside its transaction.
package enum Reference: Sendable, Equatable, CustomStringConvertible {
  case id(MessageID)
  case name(String)

  package var description: String {
    switch self {
    case .id(let id): id.description
    case .name(let name): "\"\(name)\""
    }
  }
}
