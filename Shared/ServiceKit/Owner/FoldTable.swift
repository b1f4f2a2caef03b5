import Messaging
package import SQLite

/// A table whose rows follow from the log alone, so that two databases that folded the same records agree on it, row by
/// row.
package struct FoldTable: Sendable {
  package let name: String
  /// The columns of its key, by which rows are put in order and told apart.
  package let key: [String]
  /// The columns that count; empty: all.
  package let columns: [String]

  package init(name: String, key: [String], columns: [String] = []) {
    self.name = name
    self.key = key
    self.columns = columns
  }

  /// An owner's: the domain's tables, then the kit's.
  package static func all<D: Domain>(_: D.Type) -> [FoldTable] {
    let tables = D.tables + [(name: "remembered_command", key: "workspace, id")]
    return tables.map { table in
      FoldTable(
        name: table.name,
        key: table.key.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
    } + [
      FoldTable(
        name: "owner_state", key: ["only"], columns: ["only", "command_position", "last_sequence", "last_time"])
    ]
  }

  /// Rows in the order of the key, read from the table itself and not from an index that may differ from it.
  func rows(_ db: Connection) throws -> Cursor {
    let list = columns.isEmpty ? "*" : columns.map(quoted).joined(separator: ", ")
    let order = key.map(quoted).joined(separator: ", ")
    return try db.prepare("SELECT \(list) FROM \(quoted(name)) NOT INDEXED ORDER BY \(order)").cursor()
  }

  /// SHA-256 over all rows in the order of the key, in hexadecimal.
  package func digest(_ db: Connection) throws -> String {
    let rows = try rows(db)
    var state: [UInt8] = []
    var buffer: [UInt8] = []
    while let row = try rows.next() {
      for value in row { value.append(to: &buffer) }
      if buffer.count > 1 << 16 {
        state = Digest.sha256(state + buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    return Digest.hex(Digest.sha256(state + buffer))
  }

  /// The first row, in the order of the key, at which a database differs from what it should be; nil where all are
  /// equal.
  package func difference(_ found: Connection, from expected: Connection) throws -> FoldDifference? {
    let (left, right) = (try rows(expected), try rows(found))
    guard left.columns == right.columns else {
      return FoldDifference(table: name, key: "", detail: "its columns are others than this build's")
    }
    let columns = left.columns
    let keys = key.compactMap { columns.firstIndex(of: $0) }
    var (want, have) = (try left.next(), try right.next())
    while want != nil || have != nil {
      if let wanted = want, let had = have {
        if wanted == had {
          (want, have) = (try left.next(), try right.next())
          continue
        }
        if keys.allSatisfy({ wanted[$0] == had[$0] }) {
          return FoldDifference(self, columns, expected: wanted, found: had)
        }
        return keys.lexicographicallyPrecedes(wanted, had)
          ? FoldDifference(self, columns, expected: wanted, found: nil)
          : FoldDifference(self, columns, expected: nil, found: had)
      }
      return FoldDifference(self, columns, expected: want, found: have)
    }
    return nil
  }
}

extension [Int] {
  /// Whether one row's key comes before another's, in SQLite's order.
  fileprivate func lexicographicallyPrecedes(_ a: [Value], _ b: [Value]) -> Bool {
    for index in self where a[index] != b[index] { return a[index].isBefore(b[index]) }
    return false
  }
}

private func quoted(_ name: String) -> String { "\"\(name)\"" }

/// Where two databases differ first, in words.
package struct FoldDifference: Sendable, Equatable, CustomStringConvertible {
  package let table: String
  /// The row's key: `workspace main, id 0190…`.
  package let key: String
  /// What differs.
  package let detail: String

  package init(table: String, key: String, detail: String) {
    self.table = table
    self.key = key
    self.detail = detail
  }

  init(_ table: FoldTable, _ columns: [String], expected: [Value]?, found: [Value]?) {
    self.table = table.name
    let row = found ?? expected ?? []
    key = table.key.compactMap { name in
      columns.firstIndex(of: name).map { "\(name) \(row[$0].plain)" }
    }.joined(separator: ", ")
    guard let expected, let found else {
      let content = zip(columns, row).map { "\($0) \($1.shown)" }.joined(separator: ", ")
      detail =
        found == nil
        ? "the database lacks a row that follows from the log: \(content)"
        : "the database has a row that does not follow from the log: \(content)"
      return
    }
    detail = zip(columns, zip(expected, found)).filter { $1.0 != $1.1 }
      .map { "\($0) is \($1.1.shown), but \($1.0.shown) follows from the log" }
      .joined(separator: "; ")
  }

  package var description: String { key.isEmpty ? "\(table): \(detail)" : "\(table), \(key): \(detail)" }
}

extension Value {
  /// Every value in a form of its own, so that equal digests mean equal rows.
  fileprivate func append(to out: inout [UInt8]) {
    func put(_ kind: UInt8, _ bytes: [UInt8]) {
      out.append(kind)
      withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { out.append(contentsOf: $0) }
      out.append(contentsOf: bytes)
    }
    switch self {
    case .null: put(0, [])
    case .integer(let value): put(1, Array("\(value)".utf8))
    case .real(let value): put(2, Array("\(value)".utf8))
    case .text(let value): put(3, Array(value.utf8))
    case .blob(let value): put(4, value)
    }
  }

  fileprivate var shown: String { if case .text(let text) = self { "\"\(text.prefix(300))\"" } else { plain } }

  fileprivate var plain: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let text): String(text.prefix(300))
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }

  /// SQLite's order: null, numbers, texts, blobs; texts and blobs by their bytes.
  fileprivate func isBefore(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.integer(let a), .real(let b)): Double(a) < b
    case (.real(let a), .integer(let b)): a < Double(b)
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
