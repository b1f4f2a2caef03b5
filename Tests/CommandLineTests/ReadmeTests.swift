import Foundation
import Testing

@testable import CommandLineClient

@Suite struct ReadmeTests {
  private static let text: String = {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let file = here.appending(path: "../../Services/CommandLine/README.md")
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }()

  /// The command lines in the tables: in backquotes, those behind the first of a noun without its words.
  static let lines: [String] = {
    var found: [String] = []
    for row in text.split(separator: "\n") where row.hasPrefix("| `") {
      var prefix = ""
      for (index, part) in row.split(separator: "`", omittingEmptySubsequences: false).enumerated() where index % 2 == 1
      {
        if part.hasPrefix("daybook ") {
          found.append(String(part))
          prefix = part.split(separator: " ").prefix(2).joined(separator: " ")
        } else if prefix != "", row.contains(" · "), !part.hasPrefix("-") {
          found.append("\(prefix) \(part)")
        }
      }
    }
    return found
  }()

  @Test(arguments: ReadmeTests.lines)
  func `every command line of the README is one that the client takes`(line: String) throws {
    _ = try Root.parser.parse(Array(Words.split(line).dropFirst()), console: Capture().console)
  }

  @Test func `the README names every command`() {
    let text = Self.text
    for path in HelpTests.paths where path.count == 1 {
      #expect(text.contains("`\(path[0])`") || text.contains("daybook \(path[0])"))
    }
    for noun in Nouns.nodes {
      for verb in noun.children where verb.name != "list" {
        #expect(Self.lines.contains { $0.hasPrefix("daybook \(noun.name) \(verb.name)") }, "\(noun.name) \(verb.name)")
      }
    }
  }
}
