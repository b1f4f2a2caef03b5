import Glibc
import Messaging

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

  /// The most trigrams that the index is asked for: enough to leave few candidates.
  private static let mostTrigrams = 8

  /// The query to the index that every match fulfils: some of the needle's trigrams, quoted, all of which must be there.
  /// They do not overlap, so that each tells something new. Nil for fewer than three characters.
  var indexQuery: String? {
    let scalars = Array(key.unicodeScalars)
    guard scalars.count >= 3 else { return nil }
    let last = scalars.count - 3
    var starts = Array(stride(from: 0, through: last, by: 3))
    if starts.last != last { starts.append(last) }
    if starts.count > Self.mostTrigrams {
      starts = (0..<Self.mostTrigrams).map { $0 * last / (Self.mostTrigrams - 1) }
    }
    return starts.map { start in
      var trigram = String.UnicodeScalarView()
      for scalar in scalars[start..<start + 3] {
        if scalar == "\"" { trigram.append(scalar) }
        trigram.append(scalar)
      }
      return "\"\(String(trigram))\""
    }.joined(separator: " AND ")
  }
}
