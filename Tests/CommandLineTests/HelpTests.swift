import Testing

@testable import CommandLineClient

@Suite struct HelpTests {
  static let paths: [[String]] = {
    var found: [[String]] = []
    func walk(_ node: CommandNode, _ path: [String]) {
      found.append(path)
      for child in node.children { walk(child, path + [child.name]) }
    }
    walk(Root.node, [])
    return found
  }()

  @Test(arguments: HelpTests.paths)
  func `every level has help that names its arguments and options`(path: [String]) async {
    let capture = Capture()
    #expect(await capture.run(path + ["--help"]) == 0)
    var node = Root.node
    for word in path { node = node.child(word) ?? node }
    #expect(capture.output.hasPrefix("Usage: \((["daybook"] + path).joined(separator: " "))"))
    for option in node.options { #expect(capture.output.contains("--\(option.name)")) }
    for argument in node.arguments { #expect(capture.output.contains(argument.name)) }
    for child in node.children { #expect(capture.output.contains(child.summary)) }
    #expect(!node.summary.isEmpty && !node.summary.hasSuffix("."))
    #expect(!capture.output.contains("\u{1B}"))
  }

  @Test(arguments: HelpTests.paths)
  func `no level has a word or an option twice`(path: [String]) {
    var node = Root.node
    for word in path { node = node.child(word) ?? node }
    let words = node.children.flatMap { [$0.name] + $0.synonyms }
    #expect(Set(words).count == words.count)
    let options = node.options.map(\.name) + ["help"]
    #expect(Set(options).count == options.count, "\(options)")
  }

  @Test(arguments: HelpTests.paths)
  func `every example parses`(path: [String]) throws {
    var node = Root.node
    for word in path { node = node.child(word) ?? node }
    for example in node.examples where example.hasPrefix("daybook ") && !example.contains("|") {
      _ = try Root.parser.parse(Array(Words.split(example).dropFirst()), console: Capture().console)
    }
  }
}

/// Splits a line as a shell does, as far as examples need it.
enum Words {
  static func split(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let done = word { words.append(done) }
        word = nil
      } else if character == "<" {
        break
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
