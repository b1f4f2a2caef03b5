import Messaging

extension Verb {
  /// The verb as a command of the tree.
  var node: CommandNode {
    var options = fields.flatMap(options) + more
    if isDelete {
      options.append(.flag("yes", short: "y", "do not ask"))
      options.append(.flag("dry-run", "only tell what would go"))
    }
    options.append(.value("command-id", "UUID", "the id of the command, to send one again (only for a single one)"))
    let summary = summary ?? spec.map { String($0.doc.prefix { $0 != "." }) } ?? name
    return CommandNode(
      name: name, synonyms: synonyms, summary: summary, examples: examples, arguments: arguments, options: options,
      run: run)
  }

  private var arguments: [Argument] {
    let stdin = "- reads them from standard input, one a line"
    func named(_ noun: Noun) -> String {
      noun.isNamed ? "its \(noun.label), its id or the end of it" : "its id or the end of it"
    }
    switch subject {
    case .new(let field, let argument):
      return [Argument(name: argument, count: .several, help: "the \(field) of each; \(stdin)")]
    case .existing(let noun, _):
      return [Argument(name: noun.name.uppercased(), count: .several, help: "\(named(noun)); \(stdin)")]
    case .renamed(let noun, _, let to):
      return [
        Argument(name: noun.name.uppercased(), help: named(noun)),
        Argument(name: "NEW-\(to.uppercased())", help: "its new \(to)"),
      ]
    case .pair(let noun, _, let other, _):
      return [
        Argument(name: noun.name.uppercased(), help: named(noun)),
        Argument(name: other.name.uppercased(), count: .several, help: "\(named(other)); \(stdin)"),
      ]
    case .custom(let arguments, _): return arguments
    }
  }

  private func run(_ invocation: Invocation) async throws {
    let context = try Context(invocation)
    let words = try context.words()
    let common = try await data(context)
    var writes = try await writes(context, words)
    guard !writes.isEmpty else { return }
    for index in writes.indices {
      for member in common.members { writes[index].data[member.key] = member.value }
    }
    if writes.count > 1 {
      for option in ["id", "command-id", "if-sequence"] where invocation.has(option) {
        throw Failure.usage("--\(option) is for one \(kind), but \(writes.count) are named")
      }
    }
    if let impact, try await !impact.allow(&writes, self, context) { return }
    // Where nothing single is meant, the label says all.
    let isMany = impact.map { $0.noun == nil } ?? false
    try await Sender(context, type: type, past: past, kind: isMany ? "" : kind).send(writes)
  }

  private func writes(_ context: Context, _ words: [String]) async throws -> [Write] {
    switch subject {
    case .new(let field, _):
      return words.map { Write(label: $0, data: [field: .string($0)]) }
    case .existing(let noun, let field):
      var writes: [Write] = []
      for word in words { writes.append(Write(label: word, data: [field: try await context.reference(noun, word)])) }
      return writes
    case .renamed(let noun, let field, let to):
      return [
        Write(label: words[0], data: [field: try await context.reference(noun, words[0]), to: .string(words[1])])
      ]
    case .pair(let noun, let field, let other, let otherField):
      let first = try await context.reference(noun, words[0])
      var writes: [Write] = []
      for word in words.dropFirst() {
        writes.append(Write(label: word, data: [field: first, otherField: try await context.reference(other, word)]))
      }
      return writes
    case .custom(_, let make): return try await make(context, words)
    }
  }
}
