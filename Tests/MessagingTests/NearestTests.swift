import Messaging
import Testing

struct NearestTests {
  static let genres = ["Science fiction", "Fantasy", "Crime", "Essays", "Poésie"]

  @Test(arguments: [
    ("Sience fiction", "Science fiction"), ("FANTASY", "Fantasy"), ("Cirme", "Crime"), ("essay", "Essays"),
    ("poesie", "Poésie"), ("fiction", "Science fiction"), ("scien", "Science fiction"),
  ])
  func `a mistyped name has a nearest one`(typed: String, meant: String) {
    #expect(Text.nearest(to: typed, among: Self.genres) == meant)
  }

  @Test(arguments: ["Gardening", "", "x", "zz"])
  func `a name that is like none has no nearest one`(typed: String) {
    #expect(Text.nearest(to: typed, among: Self.genres) == nil)
  }

  @Test func `the nearer of two wins, and of equals the first`() {
    #expect(Text.nearest(to: "lisp", among: ["lists", "list", "lips"]) == "list")
    #expect(Text.nearest(to: "item", among: ["items", "item"]) == "item")
  }
}
