import CCrypto
import Foundation
import Synchronization

/// A UUID, compared by its 16 bytes and written in lower case.
package struct MessageID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Any UUID in its 36-character form, in either case; nil for anything else.
  package init?(_ text: String) {
    var text = text
    guard let id = text.withUTF8({ MessageID(utf8: $0) }) else { return nil }
    self = id
  }

  /// As above, of bytes.
  package init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.count == 36, utf8[8] == 0x2d, utf8[13] == 0x2d, utf8[18] == 0x2d, utf8[23] == 0x2d else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<18 where index != 8 && index != 13 {
      guard let digit = Self.digit(utf8[index]) else { return nil }
      high = high << 4 | digit
    }
    for index in 19..<36 where index != 23 {
      guard let digit = Self.digit(utf8[index]) else { return nil }
      low = low << 4 | digit
    }
    self.init(high: high, low: low)
  }

  private static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// A new version 7 UUID (RFC 9562): 48 bits of milliseconds, then a counter and random bits. Ids made by one
  /// process rise even where the clock stands still or goes back.
  package static func next() -> MessageID { generator.withLock { $0.next(now: Timestamp.now().milliseconds) } }

  private static let generator = Mutex(MessageIDGenerator())

  package static func < (a: MessageID, b: MessageID) -> Bool { (a.high, a.low) < (b.high, b.low) }

  package var description: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var at = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          buffer[at] = UInt8(ascii: "-")
          at += 1
        }
        let half = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: half >> UInt64((15 - index % 16) * 4) & 0xf)
        buffer[at] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        at += 1
      }
      return 36
    }
  }
}

/// The state behind `MessageID.next`: the last id, so that the next one is above it, and random bits fetched ahead.
struct MessageIDGenerator {
  private var last = MessageID(high: 0, low: 0)
  private var ahead: [UInt64] = []

  /// From the system, 256 bytes a call.
  private mutating func random() -> UInt64 {
    if ahead.isEmpty {
      ahead = Array(repeating: 0, count: 32)
      if ahead.withUnsafeMutableBytes({ getentropy($0.baseAddress, $0.count) }) != 0 {
        var system = SystemRandomNumberGenerator()
        ahead = ahead.map { _ in system.next() }
      }
    }
    return ahead.removeLast()
  }

  mutating func next(now: Int64) -> MessageID {
    let time = UInt64(max(0, now)) << 16
    let variant: UInt64 = 0b10 << 62
    let fresh = MessageID(
      high: time | 0x7000 | random() & 0x7ff,
      low: variant | random() >> 2)
    if fresh.high > last.high {
      last = fresh
    } else {
      // The same millisecond, or a clock that went back: count on from the last id.
      let counter = (last.high & 0xfff) + 1
      let high = counter <= 0xfff ? last.high + 1 : ((last.high >> 16) + 1) << 16 | 0x7000
      last = MessageID(high: high, low: fresh.low)
    }
    return last
  }
}
