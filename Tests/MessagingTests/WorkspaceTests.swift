import Testing

@testable import Messaging

struct WorkspaceTests {
  @Test(arguments: ["main", "a", "0", "a.b_c-d", String(repeating: "a", count: 63)])
  func `names of workspaces`(name: String) { #expect(Workspace.isValid(name)) }

  @Test(arguments: ["", "Main", ".a", "-a", "_a", "a b", "ä", "a/b", "*", String(repeating: "a", count: 64)])
  func `what is no name of a workspace`(name: String) { #expect(!Workspace.isValid(name)) }

  /// The values that Kafka's own tests of its Java client expect.
  @Test(
    arguments: [
      ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
      ("a-little-bit-longer-string", -1_486_304_829),
      ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971), ("abc", 479_470_107),
    ] as [(String, Int32)])
  func `keys are hashed as Java clients hash them`(key: String, hash: Int32) {
    #expect(Workspace.murmur2(Array(key.utf8)) == UInt32(bitPattern: hash))
  }

  @Test func `with four partitions the workspace main is on the last`() {
    #expect(Workspace.partition(of: "main", count: 4) == 3)
    for count in 1...64 {
      for key in ["", "a", "main", "some-household"] {
        #expect((0..<count).contains(Workspace.partition(of: key, count: count)))
      }
    }
  }
}
