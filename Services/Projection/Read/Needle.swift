import Glibc
import Messaging
import SQLite

/// What people search for, as its search key, looked for in the search keys of texts. Every character stands for itself.
struct Needle: Sendable {
  /// How well a text matches: the lower, the better. A pure function of the text and the needle.
  enum Class: Int, Sendable {
    case exact, prefix, wordStart, inside
  }

  let key: String
  private let bytes: [UInt8]

  /// Nil where nothing is left to search for: everything matches.
  init?(_ text: String) {
    key = Text.searchKey(text)
    bytes = Array(key.utf8)
    if bytes.isEmpty { return nil }
  }

  /// Nil where the text does not hold it. `haystack` is a search key.
  func match(_ haystack: UnsafeRawBufferPointer) -> Class? {
    guard var at = find(in: haystack, from: 0) else { return nil }
    if at == 0 { return haystack.count == bytes.count ? .exact : .prefix }
    while true {
      if Needle.isWordBoundary(before: at, haystack) { return .wordStart }
      guard let next = find(in: haystack, from: at + 1) else { return .inside }
      at = next
    }
  }

  /// The bytes to mark: the first match at the start of a word, else the first of all.
  func range(in haystack: UnsafeRawBufferPointer) -> Range<Int>? {
    guard let first = find(in: haystack, from: 0) else { return nil }
    var at: Int? = first
    while let here = at {
      if here == 0 || Needle.isWordBoundary(before: here, haystack) { return here..<here + bytes.count }
      at = find(in: haystack, from: here + 1)
    }
    return first..<first + bytes.count
  }

  private func find(in haystack: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = haystack.baseAddress else { return nil }
    return bytes.withUnsafeBytes { needle in
      var at = start
      let last = haystack.count - needle.count
      while at <= last {
        guard let found = memchr(base + at, Int32(needle[0]), last - at + 1) else { return nil }
        at = UnsafeRawPointer(found) - base
        if let other = needle.baseAddress, memcmp(found, other, needle.count) == 0 { return at }
        at += 1
      }
      return nil
    }
  }

  /// Whether no letter or digit stands before; what is not ASCII counts as a letter.
  private static func isWordBoundary(before at: Int, _ haystack: UnsafeRawBufferPointer) -> Bool {
    switch haystack[at - 1] {
    case 0x30...0x39, 0x61...0x7a, 0x80...0xff: false
    default: true
    }
  }

  // MARK: - The index

  /// Whether the index has a query for it. A single character would find most of it, which takes longer than to scan.
  var isIndexed: Bool { key.unicodeScalars.count > 1 }

  /// Whether it is a part of one word, no longer than a token: what the index finds need not be checked in the rows.
  var isToken: Bool { bytes.count <= Connection.longestEnding && !bytes.contains(UInt8(ascii: " ")) }

  /// For a token: a query for each rank, the best first. A row that holds it twice can be found by two of them.
  var rankedQueries: [(query: String, rank: UInt8)] {
    [("a", "b", "c", "d"), ("e", "f", "g", "h")].enumerated().flatMap { field, places in
      [
        token(places.0, key), "\(beginning(places.0, key)) OR \(beginning(places.1, key))", beginning(places.2, key),
        beginning(places.3, key),
      ].enumerated().map { (query: $1, rank: UInt8(field) * Finder.otherFields + UInt8($0)) }
    }
  }

  /// The query for what may hold it; for a token, what holds it.
  var indexQuery: String {
    let words = key.split(separator: " ").map(String.init)
    guard words.count > 1 else { return any("abcdefgh") { beginning($0, key) } }
    // The first word's part ends where a word ends, the others begin where one begins. A single letter begins many words:
    // it is left out where another part leaves few rows.
    let rest = words.dropFirst().dropLast().map { word in any("cg") { token($0, word) } }
    let last = words[words.count - 1]
    let isShort = last.utf8.count < 2 && words.contains { $0.utf8.count >= 3 }
    let parts =
      [any("bcdfgh") { token($0, words[0]) }] + rest.prefix(Self.mostWords)
      + (isShort ? [] : [any("cg") { beginning($0, last) }])
    return parts.map { "(\($0))" }.joined(separator: " AND ")
  }

  /// Of the words of a long needle the index is asked for so many, enough to leave few candidates.
  private static let mostWords = 8

  private func any(_ places: String, _ query: (String) -> String) -> String {
    places.map { query(String($0)) }.joined(separator: " OR ")
  }

  /// What has the ending of a word at a place.
  private func token(_ place: String, _ ending: String) -> String {
    var scalars = String.UnicodeScalarView()
    var count = 0
    for scalar in ending.unicodeScalars {
      count += UTF8.width(scalar)
      if count > Connection.longestEnding { break }
      if scalar == "\"" { scalars.append(scalar) }
      scalars.append(scalar)
    }
    return "\"\(place)\(String(scalars))\""
  }

  /// What has an ending of a word that begins so at a place.
  private func beginning(_ place: String, _ ending: String) -> String { token(place, ending) + "*" }
}
