import CSQLite

/// A value of one of SQLite's storage classes.
package enum Value: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

/// A type that can stand for a parameter of a statement.
package protocol Bindable {
  /// Binds to the 1-based parameter `index`; returns SQLite's result code.
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Bool: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_int64(statement, index, self ? 1 : 0)
  }
}

extension Double: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe sqlite3_bind_double(statement, index, self)
  }
}

extension String: Bindable {
  /// By byte length, so a NUL inside is kept.
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var copy = self
    return copy.withUTF8 { utf8 in
      unsafe utf8.withMemoryRebound(to: CChar.self) {
        unsafe daybook_bind_text(statement, index, $0.baseAddress ?? emptyText, Int32($0.count))
      }
    }
  }
}

/// Never read: it stands for the address of a text of no bytes.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  unsafe pointer.initialize(to: 0)
  return unsafe UnsafePointer(pointer)
}()

extension [UInt8]: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe withUnsafeBytes { unsafe daybook_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .none: unsafe sqlite3_bind_null(statement, index)
    case .some(let value): unsafe value.bind(to: statement, at: index)
    }
  }
}

extension Value: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .null: unsafe sqlite3_bind_null(statement, index)
    case .integer(let value): unsafe value.bind(to: statement, at: index)
    case .real(let value): unsafe value.bind(to: statement, at: index)
    case .text(let value): unsafe value.bind(to: statement, at: index)
    case .blob(let value): unsafe value.bind(to: statement, at: index)
    }
  }
}

/// UTF-8 bytes bound as a text, without the way round by a `String`. The caller vouches that they are UTF-8.
package struct UTF8Text: Bindable {
  package let bytes: [UInt8]
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes {
      unsafe daybook_bind_text(
        statement, index, $0.assumingMemoryBound(to: CChar.self).baseAddress ?? emptyText, Int32($0.count))
    }
  }
}

/// Bytes that stay where they are while a statement runs, bound without a copy; nil binds NULL. For hot paths.
@unsafe package struct LentBytes: @unsafe Bindable {
  private let bytes: UnsafeRawBufferPointer?

  package init(_ bytes: UnsafeRawBufferPointer?) { unsafe self.bytes = unsafe bytes }

  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    guard let bytes = unsafe bytes else { return unsafe sqlite3_bind_null(statement, index) }
    return unsafe daybook_bind_blob_in_place(statement, index, bytes.baseAddress, Int32(bytes.count))
  }
}

extension [UInt8] {
  /// Lends the bytes of a blob, or of no blob, to the body.
  package static func lend<R>(_ bytes: [UInt8]?, _ body: (LentBytes) throws(SQLiteError) -> R) throws(SQLiteError) -> R
  {
    guard let bytes else { return try unsafe body(LentBytes(nil)) }
    return try unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(SQLiteError) in try unsafe body(LentBytes(bytes)) }
    }.get()
  }
}
