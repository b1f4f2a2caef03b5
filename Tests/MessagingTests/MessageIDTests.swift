import Messaging
import Testing

struct MessageIDTests {
  @Test func `ids of one process rise and are version 7`() {
    let ids = (0..<10_000).map { _ in MessageID.next() }
    #expect(ids == ids.sorted())
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.high >> 12 & 0xf == 7 && $0.low >> 62 == 0b10 })
  }

  @Test(arguments: ["01900000-0000-7000-8000-00000000000A", "01900000-0000-7000-8000-00000000000a"])
  func `a UUID is read in either case and written in lower case`(text: String) {
    #expect(MessageID(text)?.description == text.lowercased())
  }

  @Test(arguments: [
    "", "12", "01900000-0000-7000-8000-00000000000g", "0190000000007000800000000000000a",
    "{01900000-0000-7000-8000-00000000000}",
  ])
  func `anything else is none`(text: String) { #expect(MessageID(text) == nil) }
}
