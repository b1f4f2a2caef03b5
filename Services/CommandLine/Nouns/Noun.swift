import Messaging

/// A kind of entity: how it is listed, shown and named. The commands about it are its verbs.
struct Noun: Sendable {
  /// `item`.
  let name: String
  /// `items`: its path below `/v1` and what a list is called.
  let plural: String
  /// Under which heading help lists it.
  let section: String
  let summary: String
  /// The member that people call it by.
  let label: String
  /// The member by which a write names it in `{"name": …}`; nil where only an id will do.
  var isNamed = true
  let columns: [Column]
  let filters: [Filter]
  /// What lists can be sorted by.
  let sorts: [String]
  var listExamples: [String] = []

  /// A column of its table.
  struct Column: Sendable {
    var column: Table.Column
    var cell: @Sendable (JSON, Clock) -> Table.Cell
  }

  /// Options that narrow a list: each becomes a parameter of the query.
  struct Filter: Sendable {
    enum Kind: Sendable {
      case text
      case day
      case moment
      /// A flag that stands for this value.
      case fixed(String)
    }
    var option: Option
    var query: String
    var kind: Kind
  }

  /// `item "Buy milk"`; an id where it has no text of its own.
  func title(_ row: JSON) -> String {
    let text = Values.plain(row[label])
    return text.isEmpty ? Values.ending(row["id"]?.string ?? "") : text
  }

  /// `/v1/items`.
  var path: String { "/v1/\(plural)" }

  /// `3 items`, `1 item`.
  func counted(_ count: Int) -> String { "\(count) \(count == 1 ? name : plural)" }
}

extension Noun.Column {
  /// The id's ending.
  static let id = Noun.Column(column: .init(title: "ID")) { row, _ in
    Table.Cell(Values.ending(row["id"]?.string ?? ""), .faint)
  }

  /// A member as text.
  static func text(_ title: String, _ member: String, optional: Bool = false, elastic: Bool = true) -> Noun.Column {
    Noun.Column(column: .init(title: title, isElastic: elastic, isOptional: optional)) { row, clock in
      Table.Cell(Values.member(member, row[member] ?? .null, clock))
    }
  }

  /// A number at the right.
  static func number(_ title: String, optional: Bool = false, _ value: @escaping @Sendable (JSON) -> String)
    -> Noun.Column
  {
    Noun.Column(column: .init(title: title, isNumber: true, isOptional: optional)) { row, _ in
      Table.Cell(value(row))
    }
  }

  /// Anything else.
  static func cell(
    _ title: String, optional: Bool = false, _ cell: @escaping @Sendable (JSON, Clock) -> Table.Cell
  ) -> Noun.Column {
    Noun.Column(column: .init(title: title, isOptional: optional), cell: cell)
  }
}

extension Noun.Filter {
  static func text(_ name: String, _ value: String, repeatable: Bool = false, _ help: String) -> Noun.Filter {
    Noun.Filter(option: .value(name, value, repeatable: repeatable, help), query: name, kind: .text)
  }
  static func day(_ name: String, _ help: String) -> Noun.Filter {
    Noun.Filter(option: .value(name, "DATE", help), query: name, kind: .day)
  }
  static func moment(_ name: String, _ help: String) -> Noun.Filter {
    Noun.Filter(option: .value(name, "TIME", help), query: name, kind: .moment)
  }
  static func flag(_ name: String, _ query: String, _ value: String, _ help: String) -> Noun.Filter {
    Noun.Filter(option: .flag(name, help), query: query, kind: .fixed(value))
  }
}
