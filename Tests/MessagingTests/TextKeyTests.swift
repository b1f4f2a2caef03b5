import Foundation
import Messaging
import Testing

struct TextKeyTests {
  @Test(arguments: [
    ("Café", "CAFÉ"), ("Café", "Cafe\u{301}"), ("Café", " café "), ("АБВ", "абв"), ("ＡＢＣ", "abc"), ("a \t b", "A B"),
    ("Straße", "STRASSE"),
  ])
  func `names that are one have one unique key`(a: String, b: String) {
    #expect(Array(Text.uniqueKey(a).utf8) == Array(Text.uniqueKey(b).utf8))
  }

  @Test(arguments: [("Café", "Cafe"), ("100% wool", "100 wool"), ("O'Brien", "OBrien")])
  func `names that are two have two unique keys`(a: String, b: String) {
    #expect(Text.uniqueKey(a) != Text.uniqueKey(b))
  }

  @Test(arguments: [
    ("munoz", "Muñoz"), ("MÜLLER", "Müller"), ("елка", "Ёлка"), ("lukasz", "Łukasz"), ("soren", "Søren"),
    ("O'Brien", "O’Brien"), ("a", "Á"),
  ])
  func `a search key leaves out what people leave out when they type`(typed: String, name: String) {
    #expect(Text.searchKey(typed) == Text.searchKey(name))
  }

  @Test func `a sort key puts names in the order that people expect`() {
    let names = ["Zoe", "Book 10", "éclair", "apple", "Book 2", "Eclair", "Book 02"]
    let sorted = names.sorted { Array(Text.sortKey($0).utf8).lexicographicallyPrecedes(Array(Text.sortKey($1).utf8)) }
    #expect(sorted.filter { $0 != "Book 02" } == ["apple", "Book 2", "Book 10", "éclair", "Eclair", "Zoe"])
  }

  /// ASCII takes a way of its own; a letter beyond it leads through the general one.
  @Test func `the short way for ASCII gives the same key as the general one`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let text = String(
        decoding: (0..<Int.random(in: 0...12)).map { _ in UInt8.random(in: 1...126, using: &generator) }, as: UTF8.self)
      for key in [Text.uniqueKey, Text.searchKey] {
        #expect(key(text + " ж") == (key(text) + " ж").trimmed, "\(Array(text.utf8))")
      }
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
