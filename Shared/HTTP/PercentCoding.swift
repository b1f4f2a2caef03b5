/// Percent-encoding (RFC 3986), strictly.
enum PercentCoding {
  /// Encodes all but the unreserved characters.
  static func encode(_ text: String) -> String {
    var out: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xf)]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Nil where an escape is no two hexadecimal digits, is `%00`, or the result is not UTF-8. `+` stands for a space in
  /// a query only.
  static func decode(_ bytes: ArraySlice<UInt8>, plus: Bool) -> String? {
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || (plus && $0 == UInt8(ascii: "+")) }) else {
      return String(validating: bytes, as: UTF8.self)
    }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = bytes.startIndex
    while at < bytes.endIndex {
      switch bytes[at] {
      case UInt8(ascii: "%"):
        guard at + 2 < bytes.endIndex, let high = value(bytes[at + 1]), let low = value(bytes[at + 2]),
          high | low != 0
        else { return nil }
        out.append(high << 4 | low)
        at += 2
      case UInt8(ascii: "+") where plus: out.append(0x20)
      case let byte: out.append(byte)
      }
      at += 1
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 0x37
    default: nil
    }
  }
}
