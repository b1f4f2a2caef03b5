import Messaging

/// Shows where a needle is in a text: `Buy [milk]`.
enum Highlight {
  /// How much of a long text is shown before and behind the match, in characters.
  private static let before = 40
  private static let behind = 80

  /// The text with brackets around the part whose search key the needle is found in, cut to the surroundings of the
  /// match, on one line.
  static func mark(_ text: String, _ needle: Needle) -> String {
    if let marked = markPlain(text, needle) { return marked }
    let characters = Array(text)
    let part = part(of: characters, needle) ?? 0..<characters.count
    let shown = shown(part, of: characters.count)
    var out = shown.lowerBound > 0 ? "…" : ""
    append(characters[shown.lowerBound..<part.lowerBound], to: &out)
    out += "["
    append(characters[part], to: &out)
    out += "]"
    append(characters[part.upperBound..<shown.upperBound], to: &out)
    return shown.upperBound < characters.count ? out + "…" : out
  }

  private static func shown(_ part: Range<Int>, of count: Int) -> Range<Int> {
    max(0, part.lowerBound - before)..<min(count, part.upperBound + behind)
  }

  /// The same for ASCII on one line with single spaces, whose search key is itself but for case: byte by byte. Nil for
  /// other texts.
  private static func markPlain(_ text: String, _ needle: Needle) -> String? {
    let bytes = Array(text.utf8)
    var key: [UInt8] = []
    key.reserveCapacity(bytes.count)
    for byte in bytes {
      guard byte > 0x20 ? byte < 0x7f : byte == 0x20 && key.last != 0x20 else { return nil }
      key.append((0x41...0x5a).contains(byte) ? byte + 0x20 : byte)
    }
    guard key.first != 0x20, let part = key.withUnsafeBytes({ needle.range(in: $0) }) else { return nil }
    let shown = shown(part, of: bytes.count)
    var out: [UInt8] = []
    out += bytes[shown.lowerBound..<part.lowerBound] + [0x5b] + bytes[part] + [0x5d]
    out += bytes[part.upperBound..<shown.upperBound]
    let marked = String(decoding: out, as: UTF8.self)
    return (shown.lowerBound > 0 ? "…" : "") + marked + (shown.upperBound < bytes.count ? "…" : "")
  }

  private static func append(_ characters: ArraySlice<Character>, to out: inout String) {
    for character in characters { out.append(character.isNewline || character == "\t" ? " " : character) }
  }

  /// The characters whose search keys hold the match. Nil where it is not to be found character by character: a few
  /// foldings depend on what stands beside.
  private static func part(of characters: [Character], _ needle: Needle) -> Range<Int>? {
    var key: [UInt8] = []
    /// The character that each byte of the key comes from.
    var sources: [Int] = []
    for (index, character) in characters.enumerated() {
      if character.isWhitespace {
        // As in a search key: no space at the start, one between words.
        guard let last = key.last, last != 0x20 else { continue }
        key.append(0x20)
        sources.append(index)
      } else if let ascii = character.asciiValue {
        key.append(ascii >= 0x41 && ascii <= 0x5a ? ascii + 0x20 : ascii)
        sources.append(index)
      } else {
        for byte in Text.searchKey(String(character)).utf8 {
          key.append(byte)
          sources.append(index)
        }
      }
    }
    guard let range = key.withUnsafeBytes({ needle.range(in: $0) }) else { return nil }
    return sources[range.lowerBound]..<sources[range.upperBound - 1] + 1
  }
}
