/// Headers as one blob: for each, the length of its name, the name, the length of its value, the value. Lengths are
/// LEB128 (seven bits a byte, low ones first), so an envelope's thirteen cost one byte each.
enum HeaderCoding {
  /// Appends the encoded headers to a buffer that many records share.
  static func encode(_ headers: [Header], into out: inout [UInt8]) {
    for header in headers {
      let name = header.name.utf8
      append(name.count, to: &out)
      out.append(contentsOf: name)
      append(header.value.count, to: &out)
      out.append(contentsOf: header.value)
    }
  }

  /// The headers of a blob; nil where it is not what `encode` writes.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Header]? {
    var headers: [Header] = []
    headers.reserveCapacity(13)
    var at = 0
    while at < bytes.count {
      guard let name = part(bytes, &at), let value = part(bytes, &at) else { return nil }
      headers.append(Header(String(decoding: name, as: UTF8.self), Array(value)))
    }
    return headers
  }

  private static func append(_ length: Int, to out: inout [UInt8]) {
    var rest = length
    while rest >= 0x80 {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }

  private static func part(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UnsafeRawBufferPointer? {
    var length = 0
    var shift = 0
    while true {
      guard at < bytes.count, shift < 35 else { return nil }
      let byte = bytes[at]
      at += 1
      length |= Int(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    guard length <= bytes.count - at else { return nil }
    defer { at += length }
    return UnsafeRawBufferPointer(rebasing: bytes[at..<at + length])
  }
}
