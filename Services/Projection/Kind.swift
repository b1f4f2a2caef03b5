/// The kinds of entities that the read model holds.
///
/// Raw values stand in stored row numbers, in this order: kinds that are searched together are neighbours, so that one
/// range of row numbers holds them. Never change one without raising `ReadModelSchema.revision`.
package enum Kind: Int64, Sendable, CaseIterable {
  case project = 1
  case item
  case tag
  case book
  case author
  case genre
  case visitor
  case visit
  case badge

  /// In answers and table names: `item`.
  package var name: String { "\(self)" }
  /// In paths: `items`.
  package var plural: String { "\(self)s" }
  /// Whose events make it.
  package var service: String {
    switch self {
    case .project, .item, .tag: "tasks"
    case .book, .author, .genre: "library"
    case .visitor, .visit, .badge: "visitorlog"
    }
  }

  /// The kinds that a search over everything finds: a visit has no words of its own.
  static let found = allCases.filter { $0 != .visit }
}

extension Kind: Comparable {
  package static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
}
