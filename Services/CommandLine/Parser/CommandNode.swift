/// One word of the command tree: a noun, a verb, or the root. Parsing, help and shell completion all read it.
struct CommandNode: Sendable {
  typealias Run = @Sendable (Invocation) async throws -> Void

  var name: String
  /// Other words for the same thing (`rm` for `delete`), taken and completed like the name.
  var synonyms: [String] = []
  /// One line, as a sentence without a full stop: what it does.
  var summary: String
  /// Paragraphs below the summary in its own help.
  var discussion = ""
  /// Lines a person can type, shown in help.
  var examples: [String] = []
  /// Under which heading the parent's help lists it.
  var section = ""
  var arguments: [Argument] = []
  var options: [Option] = []
  var children: [CommandNode] = []
  /// Nil for a word that only groups others.
  var run: Run?

  /// The child with that name or synonym.
  func child(_ word: String) -> CommandNode? {
    children.first { $0.name == word || $0.synonyms.contains(word) }
  }
}

/// A positional argument.
struct Argument: Sendable {
  /// How many words it takes. Only the last argument of a command may take several.
  enum Count: Sendable { case one, optional, several, any }

  /// As help shows it: `TITLE`.
  var name: String
  var count: Count = .one
  /// The words that completion offers for it, where there are few.
  var choices: [String] = []
  var help: String

  var isRequired: Bool { count == .one || count == .several }
  var takesSeveral: Bool { count == .several || count == .any }

  /// `TITLE`, `[TITLE]`, `TITLE…`, `[TITLE…]`.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .several: "\(name)…"
    case .any: "[\(name)…]"
    }
  }
}

/// A flag, or an option with a value.
struct Option: Sendable {
  var name: String
  var short: Character?
  /// What its value is called (`DATE`); nil for a flag.
  var value: String?
  var isRepeatable = false
  /// Whether it may stand alone, like a flag; behind a blank only a number is its value.
  var isValueOptional = false
  /// The only values it takes, where there are few.
  var choices: [String] = []
  /// Whether the variable `DAYBOOK_NAME` stands in where the option is not given.
  var isSetting = false
  var help: String

  static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
    Option(name: name, short: short, help: help)
  }
  static func value(
    _ name: String, short: Character? = nil, _ value: String, repeatable: Bool = false, choices: [String] = [],
    setting: Bool = false, _ help: String
  ) -> Option {
    Option(
      name: name, short: short, value: value, isRepeatable: repeatable, choices: choices, isSetting: setting,
      help: help)
  }

  /// Whether it is the flag of that name.
  func isFlag(_ name: String) -> Bool { value == nil && self.name == name }
  /// Whether its value names a folder or a file, which nothing empty does.
  var isPath: Bool { value == "DIR" || value == "FILE" }

  /// `DAYBOOK_PARTITION_COUNT` for `partition-count`.
  var variable: String { "DAYBOOK_" + name.uppercased().replacing("-", with: "_") }
}
