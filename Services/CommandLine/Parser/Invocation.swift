import Messaging

/// What was asked for: a command of the tree with its options and arguments, and where to write.
struct Invocation: Sendable {
  /// The names on the way to the command, without `daybook`.
  let path: [String]
  let node: CommandNode
  /// Options in the order given; a flag's value is empty.
  private let given: [String: [String]]
  let arguments: [String]
  /// The arguments from this one on stood behind `--`: each is meant as it is, also a `-`.
  private let literalStart: Int
  /// Settings that a variable gave, no flag.
  private let variables: Set<String>
  let console: Console

  init(
    path: [String], node: CommandNode, given: [String: [String]], arguments: [String], literalStart: Int,
    variables: Set<String>, console: Console
  ) {
    self.path = path
    self.node = node
    self.given = given
    self.arguments = arguments
    self.literalStart = literalStart
    self.variables = variables
    self.console = console
  }

  /// Whether the argument at that place is a `-` that stands for the lines of standard input.
  func isInput(_ index: Int) -> Bool { index < literalStart && arguments[index] == "-" }
  /// Whether it was given on the command line itself.
  func isTyped(_ name: String) -> Bool { has(name) && !variables.contains(name) }

  /// Whether a flag or option was given (or, for a setting, its variable is set).
  func has(_ name: String) -> Bool { given[name] != nil }
  /// Whether a flag was given; false for an option with a value that goes by the same name.
  func isFlagged(_ name: String) -> Bool { given[name] == [""] }
  /// The last value given; nil where the option is absent.
  func value(_ name: String) -> String? { given[name]?.last }
  /// Every value given, in order.
  func values(_ name: String) -> [String] { given[name] ?? [] }

  /// A value that must be a whole number in a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let wanted =
        range.upperBound == .max ? "from \(range.lowerBound) on" : "from \(range.lowerBound) to \(range.upperBound)"
      throw Failure.usage("--\(name) takes a whole number \(wanted), not \"\(text)\"")
    }
    return number
  }

  /// A value that is a length of time in seconds, fractions allowed.
  func seconds(_ name: String) throws -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text), number.isFinite, number >= 0 else {
      throw Failure.usage("--\(name) takes a number of seconds, not \"\(text)\"")
    }
    return number
  }

  /// `daybook item add`.
  var words: String { (["daybook"] + path).joined(separator: " ") }
}

/// Why a command did not do what was asked: one sentence, and the exit status that goes with it.
struct Failure: Error, Sendable, Equatable {
  /// What a program reads from the exit status.
  enum Status: Int32, Sendable {
    case refused = 1
    case usage = 2
    case unreachable = 3
    case differs = 4
  }

  let status: Status
  /// Empty where everything has been said already.
  let message: String

  static func refused(_ message: String) -> Failure { Failure(status: .refused, message: message) }
  static func usage(_ message: String) -> Failure { Failure(status: .usage, message: message) }
  static func unreachable(_ message: String) -> Failure { Failure(status: .unreachable, message: message) }
  static func differs(_ message: String) -> Failure { Failure(status: .differs, message: message) }
}
