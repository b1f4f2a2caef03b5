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
    guard text.utf8.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (index, byte) in text.utf8.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = UInt64(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
      if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      digits += 1
    }
    self.high = high
    self.low = low
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
