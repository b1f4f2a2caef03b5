/// Why a text is not the strict JSON that Daybook takes.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One plain clause, such as `the key "title" stands twice`.
  package let reason: String
  /// The byte at which it was seen, from 0.
  package let offset: Int
  package var description: String { "\(reason), at byte \(offset)" }
}

extension JSON {
  /// Parses one JSON text in UTF-8 strictly: no duplicate keys, no trailing commas, no byte order mark, no
  /// `\u0000`, no lone surrogates, at most 64 levels deep. Foundation's decoder lets several of these pass.
  package init(parsing bytes: [UInt8]) throws(JSONError) {
    var result: Result<JSON, JSONError> = .success(.null)
    bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(input: buffer)
      result = Result { () throws(JSONError) in try parser.document() }
    }
    self = try result.get()
  }

  /// As above, of a string.
  package init(parsing text: String) throws(JSONError) { try self.init(parsing: Array(text.utf8)) }
}

struct JSONParser {
  static let deepest = 64

  let input: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(input: UnsafeBufferPointer<UInt8>) { self.input = input }

  mutating func document() throws(JSONError) -> JSON {
    skipSpace()
    guard at < input.count else { throw failure("the text is empty") }
    let value = try value(depth: 0)
    skipSpace()
    guard at == input.count else { throw failure("something stands behind the JSON value") }
    return value
  }

  private func failure(_ reason: String) -> JSONError { JSONError(reason: reason, offset: at) }

  private mutating func skipSpace() {
    while at < input.count {
      switch input[at] {
      case 0x20, 0x0a, 0x0d, 0x09: at += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSON {
    guard depth <= Self.deepest else { throw failure("the JSON is more than \(Self.deepest) levels deep") }
    guard at < input.count else { throw failure("the JSON ends too early") }
    switch input[at] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw failure("no JSON value starts here")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    guard at + word.utf8CodeUnitCount <= input.count else { throw failure("no JSON value starts here") }
    for index in 0..<word.utf8CodeUnitCount where word.utf8Start[index] != input[at + index] {
      throw failure("no JSON value starts here")
    }
    at += word.utf8CodeUnitCount
    return value
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSON {
    at += 1
    var members: [JSONObject.Member] = []
    var many: Set<String> = []
    skipSpace()
    if at < input.count, input[at] == UInt8(ascii: "}") {
      at += 1
      return .object(JSONObject())
    }
    while true {
      skipSpace()
      guard at < input.count, input[at] == UInt8(ascii: "\"") else { throw failure("a key is expected here") }
      let key = try string()
      // A short object is searched, a long one remembered: no input makes this quadratic.
      if members.count == 16 { many = Set(members.map(\.key)) }
      let known = members.count < 16 ? members.contains { $0.key == key } : !many.insert(key).inserted
      guard !known else { throw failure("the key \"\(key)\" stands twice") }
      skipSpace()
      guard at < input.count, input[at] == UInt8(ascii: ":") else { throw failure("a colon is expected here") }
      at += 1
      skipSpace()
      members.append(.init(key: key, value: try value(depth: depth + 1)))
      skipSpace()
      guard at < input.count else { throw failure("the JSON ends too early") }
      switch input[at] {
      case UInt8(ascii: ","): at += 1
      case UInt8(ascii: "}"):
        at += 1
        return .object(JSONObject(unique: members))
      default: throw failure("a comma or a closing brace is expected here")
      }
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSON {
    at += 1
    var values: [JSON] = []
    skipSpace()
    if at < input.count, input[at] == UInt8(ascii: "]") {
      at += 1
      return .array([])
    }
    while true {
      skipSpace()
      values.append(try value(depth: depth + 1))
      skipSpace()
      guard at < input.count else { throw failure("the JSON ends too early") }
      switch input[at] {
      case UInt8(ascii: ","): at += 1
      case UInt8(ascii: "]"):
        at += 1
        return .array(values)
      default: throw failure("a comma or a closing bracket is expected here")
      }
    }
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = at
    var whole = true
    if input[at] == UInt8(ascii: "-") { at += 1 }
    guard at < input.count, isDigit(input[at]) else { throw failure("a digit is expected here") }
    if input[at] == UInt8(ascii: "0") { at += 1 } else { skipDigits() }
    if at < input.count, input[at] == UInt8(ascii: ".") {
      whole = false
      at += 1
      guard at < input.count, isDigit(input[at]) else { throw failure("a digit is expected here") }
      skipDigits()
    }
    if at < input.count, input[at] == UInt8(ascii: "e") || input[at] == UInt8(ascii: "E") {
      whole = false
      at += 1
      if at < input.count, input[at] == UInt8(ascii: "+") || input[at] == UInt8(ascii: "-") { at += 1 }
      guard at < input.count, isDigit(input[at]) else { throw failure("a digit is expected here") }
      skipDigits()
    }
    let text = String(decoding: input[start..<at], as: UTF8.self)
    if whole, let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw failure("the number is out of range") }
    return .number(number)
  }

  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
  private mutating func skipDigits() { while at < input.count, isDigit(input[at]) { at += 1 } }

  private mutating func string() throws(JSONError) -> String {
    at += 1
    let start = at
    while at < input.count, input[at] != UInt8(ascii: "\""), input[at] != UInt8(ascii: "\\"), input[at] >= 0x20 {
      at += 1
    }
    guard at < input.count else { throw failure("the JSON ends inside a string") }
    var bytes: [UInt8] = []
    if input[at] != UInt8(ascii: "\"") {
      bytes.append(contentsOf: input[start..<at])
      try escaped(into: &bytes)
    } else {
      at += 1
      guard let text = String(utf8: UnsafeBufferPointer(rebasing: input[start..<at - 1])) else {
        throw failure("a string is not UTF-8")
      }
      return text
    }
    guard let text = String(utf8: bytes) else { throw failure("a string is not UTF-8") }
    return text
  }

  private mutating func escaped(into bytes: inout [UInt8]) throws(JSONError) {
    while true {
      guard at < input.count else { throw failure("the JSON ends inside a string") }
      let byte = input[at]
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return
      case 0..<0x20: throw failure("a control character stands in a string")
      case UInt8(ascii: "\\"):
        at += 1
        guard at < input.count else { throw failure("the JSON ends inside a string") }
        let escape = input[at]
        at += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
          let scalar = try unicodeEscape()
          bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? .init())
        default: throw failure("an escape that JSON does not know")
        }
      default:
        bytes.append(byte)
        at += 1
      }
    }
  }

  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let first = try hex4()
    guard first != 0 else { throw failure("\\u0000 is not taken") }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, at + 1 < input.count, input[at] == UInt8(ascii: "\\"), input[at + 1] == UInt8(ascii: "u")
    else { throw failure("a lone surrogate") }
    at += 2
    let second = try hex4()
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw failure("a lone surrogate") }
    return scalar
  }

  private mutating func hex4() throws(JSONError) -> UInt32 {
    guard at + 4 <= input.count else { throw failure("the JSON ends inside a string") }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(input[at])).hexDigitValue else {
        throw failure("a hexadecimal digit is expected here")
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
