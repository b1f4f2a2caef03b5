extension String {
  /// The text of these bytes; nil where they are not UTF-8. Much quicker than `init(validating:as:)` on ASCII, which most
  /// of what is read is.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    if all < 0x80 {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }

  /// As above.
  package init?(utf8 bytes: [UInt8]) {
    guard let text = bytes.withUnsafeBufferPointer({ String(utf8: $0) }) else { return nil }
    self = text
  }
}
