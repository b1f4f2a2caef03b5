import Messaging

/// Items as people write them, made by number: the same in every run. Of 200,000 each noun stands in 1,000 titles, each
/// verb in 2,000, and "the" in all of them; a project has 1,000 items, and a tag is on 200.
enum BenchWords {
  private static let syllables = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"]

  static func verb(_ number: Int) -> String { word(number % 100) + "t" }
  static func noun(_ number: Int) -> String { word(100 + number % 200) + "n" }

  static func project(_ number: Int) -> String { "Project \(number % 200)" }
  static func tag(_ number: Int) -> String { "tag \(number % 100)" }

  static func item(_ index: Int) -> JSON {
    [
      "title": .string("\(verb(index)) the \(noun(index / 100))"),
      "note": "A note of a few words, as people write them.",
      "project": ["name": .string(project(index))],
      "tags": index % 10 == 0 ? [.string(tag(index / 10))] : [],
    ]
  }

  private static func word(_ number: Int) -> String {
    syllables[number % 10] + syllables[number / 10 % 10] + syllables[number / 100] + syllables[number * 7 % 10]
  }
}
