import Foundation

/// The keys under which texts are compared, searched and sorted. All are pure functions of the text, so what is
/// stored by one build is found by the next.
package enum Text {
  /// NFC with white space trimmed at both ends: how every text is stored.
  package static func normalized(_ text: String) -> String {
    if isPlain(text) {
      let utf8 = text.utf8
      if let first = utf8.first, let last = utf8.last, first > 0x20, last > 0x20 { return text }
    }
    return text.precomposedStringWithCanonicalMapping.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The unique key of a name: NFC, trimmed, inner white space folded to one space, width folded, case-folded. So
  /// `Café`, `CAFÉ` and the decomposed form are one name, and `Cafe` is another.
  package static func uniqueKey(_ name: String) -> String {
    if isPlain(name) { return plainKey(name) }
    let folded = name.precomposedStringWithCanonicalMapping
      .folding(options: [.caseInsensitive, .widthInsensitive], locale: Locale(identifier: "en_US_POSIX"))
    return joined(folded).precomposedStringWithCanonicalMapping
  }

  /// The search key: the unique key, transliterated from Latin to ASCII, diacritics folded. So `lukasz` finds
  /// `Łukasz`, and `O'Brien` finds `O’Brien`.
  package static func searchKey(_ text: String) -> String {
    if isPlain(text) { return plainKey(text) }
    let latin = text.applyingTransform(StringTransform("Latin-ASCII"), reverse: false) ?? text
    return joined(
      latin.folding(
        options: [.caseInsensitive, .widthInsensitive, .diacriticInsensitive],
        locale: Locale(identifier: "en_US_POSIX")))
  }

  /// A key whose byte order is the order that people expect: by search key, runs of digits by their number
  /// (`Book 2` before `Book 10`).
  package static func sortKey(_ text: String) -> String {
    let key = Array(searchKey(text).utf8)
    var out: [UInt8] = []
    out.reserveCapacity(key.count + 4)
    var at = 0
    while at < key.count {
      guard isDigit(key[at]) else {
        out.append(key[at])
        at += 1
        continue
      }
      var end = at
      while end < key.count, isDigit(key[end]) { end += 1 }
      while at < end - 1, key[at] == UInt8(ascii: "0") { at += 1 }
      // The count of digits goes ahead of them: more digits, a larger number.
      out.append(UInt8(ascii: "0"))
      out.append(UInt8(min(end - at, 0x4f)) + 0x30)
      out.append(contentsOf: key[at..<end])
      at = end
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// ASCII throughout: nothing to compose, transliterate or fold but case.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// Of ASCII: lower case, each run of white space one space, none at the ends.
  private static func plainKey(_ text: String) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count)
    var isDue = false
    for byte in text.utf8 {
      switch byte {
      case 0x09...0x0d, 0x20: isDue = !out.isEmpty
      default:
        if isDue { out.append(0x20) }
        isDue = false
        out.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func joined(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
