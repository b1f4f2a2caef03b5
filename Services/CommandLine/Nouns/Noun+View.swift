import Messaging

extension Noun {
  /// `daybook item view`.
  var viewNode: CommandNode {
    CommandNode(
      name: "view", synonyms: ["show"], summary: "Shows everything about \(Self.article(name)) \(name)",
      examples: ["daybook \(name) view \(isNamed ? "NAME" : "a1b2c3d4")"],
      arguments: [
        Argument(
          name: name.uppercased(), count: .several,
          help: "\(isNamed ? "its \(label), " : "")its id or the end of it; - reads them from standard input")
      ],
      options: [
        .value(
          "after", "RECEIPT", repeatable: true, "first wait until this is in the read model; none: wait for nothing")
      ],
      run: view)
  }

  static func article(_ word: String) -> String { "aeiou".contains(word.prefix(1)) ? "an" : "a" }

  private func view(_ invocation: Invocation) async throws {
    let context = try Context(invocation)
    let words = try context.words()
    var documents: [JSON] = []
    let failures = try await context.forEach(words) { word in
      let id = try await context.id(of: self, word)
      let query = invocation.values("after").map { (name: "after", value: $0) }
      let json = try await context.api.get("\(path)/\(id)", query)
      switch context.mode {
      case .people: context.console.write((documents.isEmpty ? "" : "\n") + describe(json, context))
      case .ndjson: context.console.print(json.text)
      case .quiet: context.console.print(id.description)
      case .json: break
      }
      documents.append(json)
    }
    if context.mode == .json {
      context.console.print(words.count == 1 ? documents.first?.text ?? "null" : JSON.array(documents).text)
    }
    if let failures { throw failures }
  }

  /// Its text, then a line for each member; what is below it as a table.
  func describe(_ json: JSON, _ context: Context) -> String {
    let style = context.console.outputStyle
    var out = style.bold(Table.oneLine(title(json))) + "\n"
    let members = json.object?.members ?? []
    let inner = members.filter { Nouns.inner[$0.key] != nil && $0.value.array != nil }
    let plain = members.filter { member in
      member.key != label && !inner.contains { $0.key == member.key }
    }
    let width = plain.map { DisplayWidth.of(Values.words($0.key)) }.max() ?? 0
    for member in plain where !member.value.isNull && member.value != .array([]) {
      let text = Values.member(member.key, member.value, context.clock)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Table.oneLine(String($0)) }
      let indented = lines.joined(separator: "\n" + String(repeating: " ", count: width + 4))
      out += "  " + style.faint(Values.words(member.key).padded(width)) + "  \(indented)\n"
    }
    for member in inner {
      guard let noun = Nouns.inner[member.key], let rows = member.value.array, !rows.isEmpty else { continue }
      let width = context.console.outputIsTerminal ? context.console.width : nil
      out += "\n" + noun.table(rows, context.clock).render(width: width, style: style)
    }
    return out
  }
}
