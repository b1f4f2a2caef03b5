import Foundation

/// What stands in a decision's place for a record that is no command: the data of `daybook.command.unreadable.v1`.
package struct UnreadableCommand: Sendable, Equatable {
  /// One plain clause: `ce_id is missing`.
  package var reason: String
  /// The record's offset in the command topic.
  package var offset: Int64
  /// How many bytes the record's value had.
  package var size: Int
  /// The first of them, at most `mostBytes`.
  package var bytes: [UInt8]

  /// How much of a value is kept.
  package static let mostBytes = 64 * 1024

  package init(reason: String, offset: Int64, value: [UInt8]) {
    self.reason = reason
    self.offset = offset
    size = value.count
    bytes = Array(value.prefix(Self.mostBytes))
  }

  /// The bytes in base 64, as they need not be text.
  package var json: JSON {
    [
      "reason": .string(reason), "offset": .integer(offset), "size": JSON(size),
      "bytes": .string(Data(bytes).base64EncodedString()),
    ]
  }

  /// Nil where the data is not that of an unreadable command of this version.
  package init?(_ json: JSON) {
    guard let reason = json["reason"]?.string, let offset = json["offset"]?.integer,
      let size = json["size"]?.integer, let text = json["bytes"]?.string, let bytes = Data(base64Encoded: text)
    else { return nil }
    self.reason = reason
    self.offset = offset
    self.size = Int(size)
    self.bytes = Array(bytes)
  }
}
