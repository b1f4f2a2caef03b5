import Messaging
import Testing

/// What is wrong with a text is said in one clause, with the byte.
struct JSONStrictnessTests {
  @Test(arguments: [
    (#"{"title":1,"title":2}"#, #"the key "title" stands twice, at byte 18"#),
    (#"{"title":1,"titl\u0065":2}"#, #"the key "title" stands twice, at byte 23"#),
    (#"{"a":1,}"#, "a key is expected here, at byte 7"), ("[1,]", "no JSON value starts here, at byte 3"),
    (#"{"a" 1}"#, "a colon is expected here, at byte 5"),
    (#"{"a":1 "b":2}"#, "a comma or a closing brace is expected here, at byte 7"),
    ("[1 2]", "a comma or a closing bracket is expected here, at byte 3"), ("{", "a key is expected here, at byte 1"),
    ("[1", "the JSON ends too early, at byte 2"), (#""a"#, "the JSON ends inside a string, at byte 2"),
    (#""\u0000""#, #"\u0000 is not taken, at byte 7"#), (#""\x""#, "an escape that JSON does not know, at byte 3"),
    (#""\u12g4""#, "a hexadecimal digit is expected here, at byte 5"),
    (#""\u12"#, "the JSON ends inside a string, at byte 3"),
    (#""\ud83d""#, "a lone surrogate, at byte 7"), (#""\ud83d\u0041""#, "a lone surrogate, at byte 13"),
    (#""\ude00""#, "a lone surrogate, at byte 7"), (#""\ud83d\ud83d""#, "a lone surrogate, at byte 13"),
    ("\"\u{1}\"", "a control character stands in a string, at byte 1"),
    ("\"a\\n\u{1}\"", "a control character stands in a string, at byte 4"),
    ("-", "a digit is expected here, at byte 1"), ("1.", "a digit is expected here, at byte 2"),
    ("1e", "a digit is expected here, at byte 2"), (".5", "no JSON value starts here, at byte 0"),
    ("+1", "no JSON value starts here, at byte 0"), ("NaN", "no JSON value starts here, at byte 0"),
    ("01", "something stands behind the JSON value, at byte 1"), ("1e400", "the number is out of range, at byte 5"),
    ("tru", "no JSON value starts here, at byte 0"), ("truex", "something stands behind the JSON value, at byte 4"),
    ("/**/1", "no JSON value starts here, at byte 0"), ("\u{feff}1", "no JSON value starts here, at byte 0"),
    ("  ", "the text is empty, at byte 2"),
  ])
  func `a text that is not strict JSON is refused, saying why and where`(text: String, why: String) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: text) }
    #expect(error?.description == why)
  }

  @Test func `a key that stands twice is found among many`() throws {
    let members = (0..<1000).map { #""k\#($0)":\#($0)"# }
    _ = try JSON(parsing: "{\(members.joined(separator: ","))}")
    for twice in [0, 15, 16, 17, 999] {
      let text = "{\((members + [#""k\#(twice)":0"#]).joined(separator: ","))}"
      #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }
  }

  @Test func `sixty-four levels are taken, a hundred are refused, and a million do not overflow the stack`() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSON(parsing: nested(64))
    for depth in [100, 1_000_000] {
      #expect(throws: JSONError.self) { try JSON(parsing: nested(depth)) }
      #expect(throws: JSONError.self) { try JSON(parsing: String(repeating: #"{"a":"#, count: depth)) }
    }
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)), ("1e2", .number(100)),
      ("2E-1", .number(0.2)),
      (#""\u00e9\ud83d\ude00\/\b\f""#, .string("é😀/\u{8}\u{c}")), (" [ ] ", .array([])), ("{ }", .object(JSONObject())),
      ("[true,false,null]", [true, false, nil]),
    ] as [(String, JSON)])
  func `values are read`(text: String, value: JSON) throws { #expect(try JSON(parsing: text) == value) }

  @Test func `every scalar is written so that it is read back`() throws {
    let scalars =
      (1..<0x3000).compactMap(Unicode.Scalar.init)
      + [0xfffd, 0xffff, 0x1f600, 0x10ffff].compactMap(Unicode.Scalar.init)
    for scalar in scalars {
      let json = JSON.string("a\(scalar)b")
      let back = try JSON(parsing: json.bytes).string
      #expect(back?.utf8.elementsEqual("a\(scalar)b".utf8) == true)
    }
  }

  @Test func `members keep their order, can be replaced, added and removed`() {
    var object: JSONObject = ["b": 1, "a": 2]
    object["c"] = true
    object["b"] = "x"
    object["a"] = nil
    #expect(JSON.object(object).text == #"{"b":"x","c":true}"#)
    #expect(object["a"] == nil && object.keys == ["b", "c"] && !object.isEmpty)
  }
}
