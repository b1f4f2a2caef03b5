package import Messaging
package import SQLite

// Ids and days are stored as TEXT, as they are written in events: readable with any SQLite tool. Times are INTEGER.

extension MessageID: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    description.bind(to: statement, at: index)
  }
}

extension Day: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    description.bind(to: statement, at: index)
  }
}

extension Timestamp: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    milliseconds.bind(to: statement, at: index)
  }
}

/// A stored value that is not what its column holds by rule: the database was changed by other hands.
package struct UnreadableRow: Error, Sendable, CustomStringConvertible {
  package let description: String
}

extension Row {
  /// A UUID.
  package func id(_ column: Int) throws(UnreadableRow) -> MessageID {
    guard let id = MessageID(string(column)) else {
      throw UnreadableRow(description: "the column \(name(column)) holds what is no UUID")
    }
    return id
  }
  /// A UUID, or nil where NULL.
  package func idOrNil(_ column: Int) throws(UnreadableRow) -> MessageID? { isNull(column) ? nil : try id(column) }

  /// A day, or nil where NULL.
  package func dayOrNil(_ column: Int) throws(UnreadableRow) -> Day? {
    guard let text = stringOrNil(column) else { return nil }
    guard let day = Day(text) else {
      throw UnreadableRow(description: "the column \(name(column)) holds what is no day")
    }
    return day
  }

  /// A moment; 1970 where NULL.
  package func time(_ column: Int) -> Timestamp { Timestamp(milliseconds: int64(column)) }
  /// A moment, or nil where NULL.
  package func timeOrNil(_ column: Int) -> Timestamp? { int64OrNil(column).map(Timestamp.init(milliseconds:)) }
}
