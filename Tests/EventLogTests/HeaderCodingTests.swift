import Testing

@testable import EventLog

struct HeaderCodingTests {
  @Test(arguments: [
    [], [Header("", [])], [Header("a", "b"), Header("a", "c")],
    [Header(String(repeating: "n", count: 127), Array(repeating: 1, count: 128))],
    [Header("ü", Array(repeating: 0xff, count: 20_000)), Header("last", [])],
  ])
  func `headers come back as they were`(_ headers: [Header]) {
    var bytes: [UInt8] = []
    HeaderCoding.encode(headers, into: &bytes)
    #expect(bytes.withUnsafeBytes(HeaderCoding.decode) == headers)
  }

  @Test(
    arguments: [
      [0x01], [0x01, 0x61], [0x01, 0x61, 0x05, 0x62], [0x80], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0x7f, 0x00],
    ] as [[UInt8]])
  func `bytes that no encoder wrote are refused`(_ bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes(HeaderCoding.decode) == nil)
  }
}
