package import Messaging

/// How an edit's fields turn into the `before` and `after` of its event.
extension Fields.Change {
  /// What the field will hold, given what it holds now.
  package func applied(to current: Value?) -> Value? {
    switch self {
    case .keep: current
    case .clear: nil
    case .set(let value): value
    }
  }
}

extension Fields.Change<String> {
  /// A blank text says the same as null.
  package var blankClears: Self { if case .set("") = self { .clear } else { self } }
}
