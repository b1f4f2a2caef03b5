import Messaging
import Testing

struct JSONTests {
  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"a":1,}"#, "[1,]", #""\u0000""#, #""\ud800""#, "\u{feff}{}", "", " ", "{} {}", "nul", "01",
    "1e999", "'a'", "\"a\nb\"", String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
  ])
  func `what is not strict JSON is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSON(parsing: text) }
  }

  @Test func `UTF-16 and bytes that are no UTF-8 are refused`() {
    #expect(throws: JSONError.self) { try JSON(parsing: "{}".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }) }
    #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xff, 0x22]) }
  }

  @Test(arguments: [
    #"{"a":[1,-2,3.5,true,null,"x\n\"\\é😀"],"b":{}}"#, "9223372036854775807", #""👩‍👩‍👧‍👦 שלום""#, "[[[]]]",
  ])
  func `what was read is written back the same`(text: String) throws {
    #expect(try JSON(parsing: text).text == text)
  }

  @Test func `canonical bytes do not depend on the order of members`() throws {
    let a = try JSON(parsing: #"{"b":1,"a":{"d":1,"c":2}}"#)
    let b = try JSON(parsing: #"{ "a": {"c":2,"d":1}, "b":1 }"#)
    #expect(a.canonicalBytes == b.canonicalBytes)
  }
}
