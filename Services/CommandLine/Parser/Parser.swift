/// Reads the words of a command line by the command tree. A value; it neither prints nor runs anything.
struct Parser {
  /// What a command line asks for.
  enum Outcome: Sendable {
    case run(Invocation)
    /// Help of the command at this path.
    case help([String])
  }

  let root: CommandNode
  /// Taken at every level.
  let globals: [Option]

  /// Throws `Failure` with status `usage` and one sentence.
  func parse(_ words: [String], console: Console) throws -> Outcome {
    var state = State(node: root)
    if words.first == "help" { return .help(try path(words.dropFirst())) }
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      state.next = index < words.count ? words[index] : nil
      if state.onlyArguments || word == "-" || !word.hasPrefix("-") {
        try take(word, &state)
      } else if word == "--" {
        if !state.onlyArguments { state.literalStart = state.arguments.count }
        state.onlyArguments = true
      } else if word == "--help" || word == "-h" {
        return .help(state.path)
      } else if word == "--version", state.path.isEmpty {
        try take("version", &state)
      } else if word.hasPrefix("--") {
        try takeLong(word, words, &index, &state)
      } else {
        try takeShort(word, words, &index, &state)
      }
    }
    guard state.node.run != nil else {
      if state.path.isEmpty || state.arguments.isEmpty { return .help(state.path) }
      throw Failure.usage("\(state.words) needs a command behind it")
    }
    try checkArguments(state)
    var variables: Set<String> = []
    for option in options(of: state.node) where option.isSetting && state.given[option.name] == nil {
      guard let value = console.environment[option.variable], !value.isEmpty else { continue }
      if option.value == nil {
        guard let isSet = ["true": true, "1": true, "false": false, "0": false][value] else {
          throw Failure.usage("\(option.variable) is true or false, not \"\(value)\"")
        }
        state.given[option.name] = isSet ? [""] : nil
      } else {
        try check(option, value, source: option.variable)
        state.given[option.name] = [value]
      }
      variables.insert(option.name)
    }
    return .run(
      Invocation(
        path: state.path, node: state.node, given: state.given, arguments: state.arguments,
        literalStart: state.literalStart ?? .max, variables: variables, console: console))
  }

  /// Its own options, and those of every command that none of its own has the name of.
  private func options(of node: CommandNode) -> [Option] {
    node.options + globals.filter { global in !node.options.contains { $0.name == global.name } }
  }

  private struct State {
    var node: CommandNode
    var path: [String] = []
    var given: [String: [String]] = [:]
    var arguments: [String] = []
    var onlyArguments = false
    /// How many arguments stand before `--`; nil where there is none.
    var literalStart: Int?
    /// The word behind the one that is read.
    var next: String?
    var words: String { (["daybook"] + path).joined(separator: " ") }
  }

  /// The names on the way to a command; options are passed over.
  private func path(_ words: ArraySlice<String>) throws -> [String] {
    var state = State(node: root)
    for word in words where !word.hasPrefix("-") {
      guard let child = state.node.child(word) else { throw unknownCommand(word, state) }
      state.node = child
      state.path.append(child.name)
    }
    return state.path
  }

  private func unknownCommand(_ word: String, _ state: State) -> Failure {
    let known = state.node.children.flatMap { [$0.name] + $0.synonyms }
    return .usage("\(state.words) has no command \"\(word)\"\(Nearest.hint(word, known))")
  }

  /// A word that is no option: the name of a child, or an argument.
  private func take(_ word: String, _ state: inout State) throws {
    if state.arguments.isEmpty, !state.onlyArguments, let child = state.node.child(word) {
      state.node = child
      state.path.append(child.name)
      return
    }
    guard state.node.children.isEmpty || !state.node.arguments.isEmpty else {
      let nouns = state.path.isEmpty ? root.children.filter { $0.child(word) != nil } : []
      if let noun = nouns.first(where: { $0.name == state.next }) ?? nouns.first {
        throw Failure.usage("the noun stands first: daybook \(noun.name) \(word)")
      }
      throw unknownCommand(word, state)
    }
    state.arguments.append(word)
  }

  private func takeLong(_ word: String, _ words: [String], _ index: inout Int, _ state: inout State) throws {
    let body = word.dropFirst(2)
    let name = String(body.prefix { $0 != "=" })
    let inline: String? = body.firstIndex(of: "=").map { String(body[body.index(after: $0)...]) }
    guard let option = (options(of: state.node)).first(where: { $0.name == name }) else {
      if name == "help" || (name == "version" && state.path.isEmpty) {
        throw Failure.usage("--\(name) is a flag and takes no value")
      }
      throw Failure.usage(unknown("--\(name)", state))
    }
    guard option.value != nil else {
      guard inline == nil else { throw Failure.usage("--\(name) is a flag and takes no value") }
      state.given[name] = [""]
      return
    }
    if option.isValueOptional, inline == nil, state.next.flatMap(Double.init) == nil {
      state.given[name] = [""]
      return
    }
    try set(option, try inline ?? next(option, words, &index), &state)
  }

  /// `-q`, `-w NAME`, `-wNAME`, and several flags in one word.
  private func takeShort(_ word: String, _ words: [String], _ index: inout Int, _ state: inout State) throws {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      if letter == "h" { throw Failure.usage("-h stands alone; or use --help") }
      guard let option = (options(of: state.node)).first(where: { $0.short == letter }) else {
        throw Failure.usage(unknown("-\(letter)", state))
      }
      guard option.value != nil else {
        state.given[option.name] = [""]
        continue
      }
      if rest.first == "=" { rest.removeFirst() }
      try set(option, rest.isEmpty ? try next(option, words, &index) : String(rest), &state)
      return
    }
  }

  private func next(_ option: Option, _ words: [String], _ index: inout Int) throws -> String {
    guard index < words.count else { throw Failure.usage("--\(option.name) needs its \(option.value ?? "value")") }
    defer { index += 1 }
    return words[index]
  }

  private func set(_ option: Option, _ value: String, _ state: inout State) throws {
    try check(option, value, source: "--\(option.name)")
    if state.given[option.name] == [""], !option.isRepeatable, globals.contains(where: { $0.isFlag(option.name) }) {
      throw Failure.usage(
        "--\(option.name) stands before the command as a flag and behind it with its \(option.value ?? "value"); "
          + "one of both is possible")
    }
    guard option.isRepeatable || state.given[option.name] == nil else {
      throw Failure.usage("--\(option.name) stands more than once")
    }
    state.given[option.name, default: []].append(value)
  }

  private func check(_ option: Option, _ value: String, source: String) throws {
    guard !option.isPath || !value.isEmpty else {
      throw Failure.usage("\(source) takes a \(option.value == "DIR" ? "folder" : "file"), and nothing is named")
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let choices = option.choices.joined(separator: ", ")
      throw Failure.usage("\(source) takes one of \(choices), not \"\(value)\"\(Nearest.hint(value, option.choices))")
    }
  }

  private func unknown(_ word: String, _ state: State) -> String {
    let known =
      (options(of: state.node)).map { "--\($0.name)" } + ["--help"] + (state.path.isEmpty ? ["--version"] : [])
    let below = state.node.children.contains { child in
      child.options.contains { "--\($0.name)" == word }
    }
    if below { return "\(word) belongs behind the command of \(state.words)" }
    let hint = word.hasPrefix("--") ? Nearest.hint(word, known) : ""
    return "\(state.words) has no option \(word)\(hint)"
  }

  private func checkArguments(_ state: State) throws {
    let wanted = state.node.arguments
    let required = wanted.filter(\.isRequired)
    if state.arguments.count < required.count {
      throw Failure.usage("\(state.words) needs \(required[state.arguments.count].name)")
    }
    if wanted.last?.takesSeveral != true, state.arguments.count > wanted.count {
      let extra = state.arguments[wanted.count]
      throw Failure.usage("\(state.words) cannot use \"\(extra)\"; put text with spaces in quotation marks")
    }
  }
}
