extension Text {
  /// The candidate that a mistyped text most likely means, or nil where none is near. Compared by search key: the
  /// fewest letters to put in, take out, change or swap with the next ("optimal string alignment" distance), at most
  /// 2 or a third of the longer one; else the shortest candidate that begins with the text or holds it as a word.
  /// Of equals the first one.
  package static func nearest<Candidate>(
    to text: String, among candidates: some Sequence<Candidate>, by name: (Candidate) -> String
  ) -> Candidate? {
    let wanted = Array(searchKey(text).unicodeScalars)
    guard !wanted.isEmpty else { return nil }
    var nearest: (distance: Int, candidate: Candidate)?
    var extended: (length: Int, candidate: Candidate)?
    for candidate in candidates {
      let key = Array(searchKey(name(candidate)).unicodeScalars)
      let limit = min(max(2, max(wanted.count, key.count) / 3), (nearest?.distance ?? .max) - 1)
      if let distance = distance(wanted, key, limit: limit), distance < max(wanted.count, key.count) {
        nearest = (distance, candidate)
      } else if wanted.count > 1, key.count < extended?.length ?? .max,
        key.starts(with: wanted) || key.split(separator: " ").contains(where: { $0.elementsEqual(wanted) })
      {
        extended = (key.count, candidate)
      }
    }
    return nearest?.candidate ?? extended?.candidate
  }

  /// The nearest of plain names.
  package static func nearest(to text: String, among names: some Sequence<String>) -> String? {
    nearest(to: text, among: names, by: \.self)
  }

  /// Nil where it is more than `limit`; time grows with the length times the limit's band.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int) -> Int? {
    guard limit >= 0, abs(a.count - b.count) <= limit else { return nil }
    let far = limit + 1
    var beforeLast = [Int](repeating: far, count: b.count + 1)
    var last = (0...b.count).map { min($0, far) }
    for i in a.indices {
      var row = [Int](repeating: far, count: b.count + 1)
      row[0] = min(i + 1, far)
      for j in max(0, i - limit)..<max(0, min(b.count, i + limit + 1)) {
        var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
        row[j + 1] = min(best, far)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
