import Messaging
import SQLite

/// Writes JSON text, straight from the columns of rows. The caller keeps brackets paired; commas come by themselves.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 4096) { bytes.reserveCapacity(capacity) }

  mutating func openObject() { open(UInt8(ascii: "{")) }
  mutating func closeObject() { bytes.append(UInt8(ascii: "}")) }
  mutating func openArray() { open(UInt8(ascii: "[")) }
  mutating func closeArray() { bytes.append(UInt8(ascii: "]")) }

  /// The name of the member whose value comes next; plain ASCII.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }
  /// As above, for a name that is only known when running.
  mutating func key(_ name: String) {
    text(name)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func null() { literal("null") }
  mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
  mutating func integer(_ value: Int64) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }
  mutating func text(_ text: String) {
    separate()
    var text = text
    text.withUTF8 { quote(UnsafeRawBufferPointer($0)) }
  }

  // MARK: - Columns

  /// A text column; null where it is NULL.
  mutating func text(_ row: borrowing Row, _ column: Int) {
    if row.isNull(column) { return null() }
    separate()
    row.withBytes(column) { quote($0) }
  }
  /// An integer column; null where it is NULL.
  mutating func integer(_ row: borrowing Row, _ column: Int) {
    if row.isNull(column) { null() } else { integer(row.int64(column)) }
  }
  /// A moment, kept in milliseconds, as RFC 3339; null where it is NULL.
  mutating func time(_ row: borrowing Row, _ column: Int) {
    if row.isNull(column) { return null() }
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: Timestamp(milliseconds: row.int64(column)).description.utf8)
    bytes.append(UInt8(ascii: "\""))
  }
  /// `{"id","<name>"}` of two columns; null where the first is NULL.
  mutating func named(_ row: borrowing Row, _ column: Int, as name: StaticString = "name") {
    if row.isNull(column) { return null() }
    openObject()
    key("id")
    text(row, column)
    key(name)
    text(row, column + 1)
    closeObject()
  }

  // MARK: - Bytes

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
  }

  private mutating func literal(_ word: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  /// A comma, unless a bracket or a colon stands before.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  private mutating func quote(_ utf8: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<utf8.count {
      let byte = utf8[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      bytes.append(contentsOf: utf8[start..<index])
      start = index + 1
      escape(byte)
    }
    bytes.append(contentsOf: utf8[start...])
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
    case 0x0a: bytes.append(contentsOf: "\\n".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0d: bytes.append(contentsOf: "\\r".utf8)
    default:
      bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
      let digit = byte & 0xf
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
