/// The help of one command, for people.
struct Help {
  let root: CommandNode
  let globals: [Option]

  /// The text for the command at this path; the deepest that exists where a word is unknown.
  func text(_ path: [String], style: Style) -> String {
    var node = root
    for word in path { node = node.child(word) ?? node }
    let words = (["daybook"] + path).joined(separator: " ")
    var parts: [String] = [style.bold(usage(node, words)), node.summary + "."]
    if !node.synonyms.isEmpty { parts.append("Also: " + node.synonyms.joined(separator: ", ")) }
    if !node.discussion.isEmpty { parts.append(node.discussion) }
    parts += children(node, style)
    if !node.arguments.isEmpty {
      parts.append(list("Arguments", node.arguments.map { ($0.usage, $0.help) }, style))
    }
    if !node.options.isEmpty { parts.append(list("Options", node.options.map(describe), style)) }
    if !node.examples.isEmpty {
      parts.append(style.bold("Examples") + "\n" + node.examples.map { "  \($0)" }.joined(separator: "\n"))
    }
    if path.isEmpty {
      parts.append(
        list(
          "Options of every command",
          globals.map(describe) + [("-h, --help", "this help"), ("    --version", "the version")], style))
      parts.append("daybook NOUN --help and daybook NOUN VERB --help tell more.")
    } else {
      let names = globals.map { "--\($0.name)" }.joined(separator: " ")
      parts.append("Options of every command (daybook --help explains them): \(names)")
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private func usage(_ node: CommandNode, _ words: String) -> String {
    var line = "Usage: \(words)"
    if node.run == nil || (!node.children.isEmpty && node.arguments.isEmpty) { return line + " COMMAND" }
    for argument in node.arguments { line += " \(argument.usage)" }
    if !node.options.isEmpty { line += " [options]" }
    for child in node.children { line += "\n       \(words) \(child.name)" }
    return line
  }

  private func children(_ node: CommandNode, _ style: Style) -> [String] {
    var sections: [String] = []
    for child in node.children where !sections.contains(child.section) { sections.append(child.section) }
    return sections.map { section in
      let rows = node.children.filter { $0.section == section }.map { child in
        (child.name, child.summary)
      }
      return list(section.isEmpty ? "Commands" : section, rows, style)
    }
  }

  private func describe(_ option: Option) -> (String, String) {
    var left = option.short.map { "-\($0), " } ?? "    "
    left += "--\(option.name)"
    if let value = option.value {
      let shown = option.choices.isEmpty ? value : option.choices.joined(separator: "|")
      left += option.isValueOptional ? " [\(shown)]" : " \(shown)"
    }
    var right = option.help
    if option.isRepeatable { right += " (may be repeated)" }
    if option.isSetting { right += " [\(option.variable)]" }
    return (left, right)
  }

  private func list(_ title: String, _ rows: [(String, String)], _ style: Style) -> String {
    let width = min(34, rows.map { DisplayWidth.of($0.0) }.max() ?? 0)
    let lines = rows.map { left, right in
      let gap = DisplayWidth.of(left) > width ? "\n" + spaces(width + 4) : spaces(width - DisplayWidth.of(left) + 2)
      return "  \(left)\(gap)\(right)"
    }
    return style.bold(title) + "\n" + lines.joined(separator: "\n")
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
