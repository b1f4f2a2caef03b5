/// A JSON value (RFC 8259). Members keep the order in which they were read or written.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number with a fraction or an exponent, or beyond 64 bits.
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)

  /// The members of an object, or nil.
  package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  /// The elements of an array, or nil.
  package var array: [JSON]? { if case .array(let array) = self { array } else { nil } }
  /// The text of a string, or nil.
  package var string: String? { if case .string(let string) = self { string } else { nil } }
  /// The value of an integer, or nil.
  package var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
  /// The value of a truth value, or nil.
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  /// Whether it is `null`.
  package var isNull: Bool { self == .null }

  /// A member of an object; nil where there is none or this is no object.
  package subscript(key: String) -> JSON? { object?[key] }
}

/// The members of a JSON object in order; keys are unique.
package struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  package struct Member: Hashable, Sendable {
    package let key: String
    package var value: JSON
    package init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }
  }
  package private(set) var members: [Member]

  package init() { members = [] }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    members = elements.map { Member(key: $0.0, value: $0.1) }
  }
  /// The caller vouches that no key stands twice.
  package init(unique members: [Member]) { self.members = members }

  package var keys: [String] { members.map(\.key) }
  package var isEmpty: Bool { members.isEmpty }

  /// Reading gives nil for an absent key; setting nil removes the member; a new key goes to the end.
  package subscript(key: String) -> JSON? {
    get { members.first { $0.key == key }?.value }
    set {
      if let index = members.firstIndex(where: { $0.key == key }) {
        if let newValue { members[index].value = newValue } else { members.remove(at: index) }
      } else if let newValue {
        members.append(Member(key: key, value: newValue))
      }
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(unique: elements.map { .init(key: $0.0, value: $0.1) }))
  }

  /// Null for nil.
  package init(_ string: String?) { self = string.map(JSON.string) ?? .null }
  package init(_ integer: Int64?) { self = integer.map(JSON.integer) ?? .null }
  package init(_ integer: Int) { self = .integer(Int64(integer)) }
  package init(_ bool: Bool) { self = .bool(bool) }
  package init(_ id: MessageID?) { self = id.map { .string($0.description) } ?? .null }
  package init(_ day: Day?) { self = day.map { .string($0.description) } ?? .null }
  /// A moment in JSON is its RFC 3339 text.
  package init(_ time: Timestamp?) { self = time.map { .string($0.description) } ?? .null }
}

// MARK: - Writing

extension JSON {
  /// The text without white space, members in order.
  package var bytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    write(to: &out, sorted: false)
    return out
  }

  /// The text without white space, members sorted by the bytes of their keys: equal values give equal bytes.
  package var canonicalBytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    write(to: &out, sorted: true)
    return out
  }

  /// `bytes` as a string.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package func write(to out: inout [UInt8], sorted: Bool) {
    switch self {
    case .null: out.append(contentsOf: "null".utf8)
    case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): out.append(contentsOf: String(value).utf8)
    case .number(let value): out.append(contentsOf: String(value).utf8)
    case .string(let value): JSON.write(value, to: &out)
    case .array(let values):
      out.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        value.write(to: &out, sorted: sorted)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let object):
      out.append(UInt8(ascii: "{"))
      let members =
        sorted ? object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : object.members
      for (index, member) in members.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        JSON.write(member.key, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out, sorted: sorted)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: String, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { utf8 in
      var start = 0
      for index in 0..<utf8.count {
        let byte = utf8[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        out.append(contentsOf: utf8[start..<index])
        start = index + 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
        case 0x0a: out.append(contentsOf: "\\n".utf8)
        case 0x09: out.append(contentsOf: "\\t".utf8)
        case 0x0d: out.append(contentsOf: "\\r".utf8)
        default:
          out.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
          let digit = byte & 0xf
          out.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
      }
      out.append(contentsOf: utf8[start...])
    }
    out.append(UInt8(ascii: "\""))
  }
}
