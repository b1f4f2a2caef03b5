import Messaging
import SQLite

/// The kinds of filters that listings are made of. Each throws `invalid` with the parameter's name for a bad value.
extension Listing.Filter {
  /// `true` or `false`.
  static func flag(
    _ name: String, _ whenTrue: String, _ whenFalse: String, order: String? = nil
  ) -> Listing.Filter {
    Listing.Filter(name) { value, _ in
      switch value {
      case "true": .condition(whenTrue, [], order: order)
      case "false": .condition(whenFalse, [], order: order)
      default: throw Problem.invalid(name, "must be true or false")
      }
    }
  }

  /// A day, `YYYY-MM-DD`; `sql` has one parameter for it.
  static func day(_ name: String, _ sql: String, order: String) -> Listing.Filter {
    Listing.Filter(name) { value, _ in
      guard let day = Day(value) else { throw Problem.invalid(name, "must be a date, YYYY-MM-DD") }
      return .condition(sql, [.text(day.description)], order: order)
    }
  }

  /// A moment in RFC 3339; `sql` has one parameter for it.
  static func time(_ name: String, _ sql: String, order: String) -> Listing.Filter {
    Listing.Filter(name) { value, _ in
      guard let time = Timestamp(value) else {
        throw Problem.invalid(name, "must be a time, such as 2026-05-25T08:30:00Z")
      }
      return .condition(sql, [.integer(time.milliseconds)], order: order)
    }
  }

  /// The id or the name of the one entity of that kind that the row's `column` refers to; `none` and `any` are reserved.
  static func reference(
    _ name: String, to kind: Kind, column: String, count: String, order: String
  ) -> Listing.Filter {
    Listing.Filter(name) { value, context in
      switch value {
      case "none": return .condition("\(column) IS NULL", [], order: order)
      case "any": return .condition("\(column) IS NOT NULL", [])
      default:
        guard let found = try context.find(kind, value, count: count) else { return .nothing }
        return .condition("\(column) = ?", [.integer(found.origin)], count: found.count, order: order)
      }
    }
  }

  /// The id or the name of an entity of that kind that the row is linked to; `none` and `any` are reserved.
  static func link(_ name: String, to kind: Kind, _ link: Restriction.Link, count: String) -> Listing.Filter {
    Listing.Filter(name, isRepeatable: true) { value, context in
      let some = "EXISTS (SELECT 1 FROM \(link.table) AS x WHERE x.\(link.row) = e.origin)"
      switch value {
      case "none": return .condition("NOT \(some)", [])
      case "any": return .condition(some, [])
      default:
        guard let found = try context.find(kind, value, count: count) else { return .nothing }
        return .linked(link, found.origin, count: found.count)
      }
    }
  }

  /// The whole name of the row itself, compared as commands compare it: by its unique key.
  static let named = Listing.Filter("name") { value, _ in
    .condition("e.key = ?", [.text(Text.uniqueKey(value))])
  }

  /// As `named`, for titles, which need not be unique: found by the sort key, which has an index.
  static let titled = Listing.Filter("name") { value, _ in
    let key = Text.uniqueKey(value)
    return .condition("e.title_sort = ? AND e.key = ?", [.text(Text.sortKey(key)), .text(key)])
  }

  /// The row's id, or the last characters of it; four or more are found through an index.
  static func idEnding(_ kind: Kind) -> Listing.Filter {
    Listing.Filter("id") { value, context in
      let ending = value.lowercased()
      guard (1...36).contains(ending.utf8.count), ending.utf8.allSatisfy({ $0 == 0x2d || $0.isHexDigit }) else {
        throw Problem.invalid("id", "must be a UUID or the last characters of one")
      }
      let ends = Value.text(ending)
      let length = Value.integer(Int64(-ending.utf8.count))
      guard ending.utf8.count >= 4 else { return .condition("substr(e.id, ?) = ?", [length, ends]) }
      let rows = try context.db.statement(
        """
        SELECT origin FROM \(kind) INDEXED BY \(kind)_by_ending
        WHERE workspace = ? AND substr(id, -4) = ? AND substr(id, ?) = ?
        """
      ).map(context.workspace, String(ending.suffix(4)), -ending.utf8.count, ending) { $0.int64(0) }
      return rows.isEmpty ? .nothing : .rows(rows)
    }
  }
}

extension FilterContext {
  /// An entity with a unique name, by id or by name, and the count that its column holds.
  func find(_ kind: Kind, _ idOrName: String, count: String) throws -> (origin: Int64, count: Int)? {
    let columns = "SELECT origin, \(count) FROM \(kind) WHERE workspace = ?"
    if let id = MessageID(idOrName) {
      let found = try db.statement("\(columns) AND id = ?").first(workspace, id.description) {
        (origin: $0.int64(0), count: $0.int(1))
      }
      if let found { return found }
    }
    return try db.statement("\(columns) AND key = ?").first(workspace, Text.uniqueKey(idOrName)) {
      (origin: $0.int64(0), count: $0.int(1))
    }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}
