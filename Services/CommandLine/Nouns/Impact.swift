import Messaging

/// What a delete takes with it or changes besides: read before it happens, told, and asked about on a terminal.
struct Impact: Sendable {
  /// One kind of entity that a delete touches.
  struct Count: Sendable {
    var count: Int
    /// `item` or `visit`.
    var noun: Noun
    /// What happens to them: `will be deleted`.
    var fate: String
  }

  /// The noun that is deleted and the field that names it; nil where nothing single is.
  var noun: Noun?
  var field: String
  /// What goes with the entity of that id.
  var counts: @Sendable (Context, MessageID) async throws -> [Count] = { _, _ in [] }

  /// Tells or asks; false where nothing shall be sent. Where it asked, the write names what was asked about by its id.
  func allow(_ writes: inout [Write], _ verb: Verb, _ context: Context) async throws -> Bool {
    let isDry = context.invocation.has("dry-run")
    let asks = context.console.inputIsTerminal && context.console.errorIsTerminal && !context.invocation.has("yes")
    guard isDry || asks else { return true }
    guard let noun else { return try await allowMany(writes, context, isDry: isDry) }
    var kept: [Write] = []
    for var write in writes {
      let id = try await id(noun, write, context)
      write.data[field] = JSON(id)
      let counts = try await counts(context, id).filter { $0.count > 0 }
      let touched = counts.map { "\($0.noun.counted($0.count)) \($0.fate)" }.joined(separator: ", ")
      if isDry {
        report(noun, write, counts, touched, context)
      } else if counts.isEmpty || ask(noun, write, touched, context) {
        kept.append(write)
      }
    }
    writes = kept
    return !isDry && !kept.isEmpty
  }

  /// For a write that names no single entity.
  private func allowMany(_ writes: [Write], _ context: Context, isDry: Bool) async throws -> Bool {
    let counts = try await counts(context, MessageID(high: 0, low: 0))
    let touched = counts.map { "\($0.noun.counted($0.count)) \($0.fate)" }.joined(separator: ", ")
    guard isDry else {
      return counts.allSatisfy { $0.count == 0 } || Prompt.confirm("\(touched); go on?", context.console)
    }
    let inner = counts.map { JSONObject.Member(key: $0.noun.plural, value: JSON($0.count)) }
    context.show(["counts": .object(JSONObject(unique: inner))]) { "\(touched): \(writes[0].label).\n" }
    return false
  }

  private func id(_ noun: Noun, _ write: Write, _ context: Context) async throws -> MessageID {
    if let id = write.data[field]?.string.flatMap(MessageID.init) { return id }
    return try await context.id(of: noun, write.label)
  }

  private func ask(_ noun: Noun, _ write: Write, _ touched: String, _ context: Context) -> Bool {
    let yes = Prompt.confirm("Delete \(noun.name) \"\(write.label)\"? \(touched).", context.console)
    if !yes { context.console.say("\(noun.name) \"\(write.label)\" is kept.") }
    return yes
  }

  private func report(_ noun: Noun, _ write: Write, _ counts: [Count], _ touched: String, _ context: Context) {
    switch context.mode {
    case .people:
      context.console.print(
        "Would delete \(noun.name) \"\(write.label)\"\(touched.isEmpty ? "" : "; \(touched)").")
    default:
      var members: JSONObject = [noun.name: write.data[field] ?? .null]
      var inner = JSONObject()
      for count in counts { inner[count.noun.plural] = JSON(count.count) }
      members["counts"] = .object(inner)
      context.console.print(JSON.object(members).text)
    }
  }

  /// The number of rows of a list under a filter.
  static func count(_ context: Context, _ noun: Noun, _ filters: [(name: String, value: String)]) async throws -> Int {
    let page = try await context.api.get(noun.path, filters + [("limit", "1")])
    return Int(page["count"]?.integer ?? 0)
  }
}
