import Messaging

/// Names the word that was probably meant.
enum Nearest {
  /// `; did you mean "item"?`, or nothing where no word is near.
  static func hint(_ word: String, _ known: [String]) -> String {
    Text.nearest(to: word, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
  }
}
