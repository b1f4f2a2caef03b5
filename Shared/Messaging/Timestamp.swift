import Foundation

/// A moment in whole milliseconds since 1970-01-01T00:00:00Z. Never a floating-point number: those do not round-trip.
package struct Timestamp: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The wall clock.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// RFC 3339 in UTC with milliseconds: `2026-05-25T08:30:00.000Z`.
  package var description: String {
    let day = self.day
    let rest = Int(milliseconds - Int64(day.number) * 86_400_000)
    let (year, month, dayOfMonth) = day.civil
    guard (0...9999).contains(year) else { return "\(day)T?" }
    return String(unsafeUninitializedCapacity: 24) { out in
      write(year, month, dayOfMonth, to: out)
      out[10] = UInt8(ascii: "T")
      write(rest / 3_600_000, 2, to: out, at: 11)
      out[13] = UInt8(ascii: ":")
      write(rest / 60_000 % 60, 2, to: out, at: 14)
      out[16] = UInt8(ascii: ":")
      write(rest / 1000 % 60, 2, to: out, at: 17)
      out[19] = UInt8(ascii: ".")
      write(rest % 1000, 3, to: out, at: 20)
      out[23] = UInt8(ascii: "Z")
      return 24
    }
  }

  /// The day in UTC.
  package var day: Day { Day(number: Int(milliseconds.floorDivided(by: 86_400_000))) }

  /// The years 0001 to 9999 in UTC. An offset can lead beyond them, to what could be written but not read again.
  private static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// An RFC 3339 moment with `Z` or a numeric offset; fractions beyond milliseconds are cut. Nil for anything else,
  /// and for what is outside of the years 0001 to 9999 in UTC.
  package init?(_ text: String) {
    var text = text
    if let time = text.withUTF8({ Timestamp(utf8: $0) }) {
      self = time
      return
    }
    let utf8 = Array(text.utf8)
    guard utf8.count >= 20, let day = Day(utf8[0..<10]),
      utf8[10] == UInt8(ascii: "T") || utf8[10] == UInt8(ascii: "t") || utf8[10] == UInt8(ascii: " "),
      let hour = number(utf8[11..<13]), utf8[13] == UInt8(ascii: ":"),
      let minute = number(utf8[14..<16]), utf8[16] == UInt8(ascii: ":"),
      let second = number(utf8[17..<19]), hour < 24, minute < 60, second < 60
    else { return nil }
    var at = 19
    var fraction = 0
    if utf8[at] == UInt8(ascii: ".") {
      at += 1
      var digits = 0
      while at < utf8.count, let digit = number(utf8[at...at]) {
        if digits < 3 { fraction = fraction * 10 + digit }
        digits += 1
        at += 1
      }
      guard digits > 0 else { return nil }
      for _ in digits..<max(3, digits) { fraction *= 10 }
    }
    guard at < utf8.count else { return nil }
    var offset = 0
    switch utf8[at] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"): guard at + 1 == utf8.count else { return nil }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard at + 6 == utf8.count, let hours = number(utf8[at + 1...at + 2]), utf8[at + 3] == UInt8(ascii: ":"),
        let minutes = number(utf8[at + 4...at + 5]), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (utf8[at] == UInt8(ascii: "-") ? -1 : 1)
    default: return nil
    }
    let seconds = Int64(day.number) * 86400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
    milliseconds = seconds * 1000 + Int64(fraction)
    guard Self.writable.contains(milliseconds) else { return nil }
  }
}

extension Timestamp {
  /// Reads the form that `description` writes, as most are; nil for every other, right or wrong.
  package init?(utf8: UnsafeBufferPointer<UInt8>) {
    guard utf8.count == 24, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-"), utf8[10] == UInt8(ascii: "T"),
      utf8[13] == UInt8(ascii: ":"), utf8[16] == UInt8(ascii: ":"), utf8[19] == UInt8(ascii: "."),
      utf8[23] == UInt8(ascii: "Z")
    else { return nil }
    func number(_ range: Range<Int>) -> Int {
      var value = 0
      for index in range {
        let digit = Int(utf8[index]) - 0x30
        guard digit >= 0, digit <= 9 else { return -100_000 }
        value = value * 10 + digit
      }
      return value
    }
    let (hour, minute, second, fraction) = (number(11..<13), number(14..<16), number(17..<19), number(20..<23))
    guard let day = Day(year: number(0..<4), month: number(5..<7), existing: number(8..<10)), (0..<24).contains(hour),
      (0..<60).contains(minute), (0..<60).contains(second), fraction >= 0
    else { return nil }
    milliseconds = (Int64(day.number) * 86400 + Int64(hour * 3600 + minute * 60 + second)) * 1000 + Int64(fraction)
  }
}

/// A calendar day, `YYYY-MM-DD`. It never passes through a time zone.
package struct Day: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// Exactly `YYYY-MM-DD`, years 0001 to 9999, a day that exists; nil for anything else.
  package init?(_ text: String) {
    self.init(Array(text.utf8)[...])
  }

  fileprivate init?(_ text: ArraySlice<UInt8>) {
    let at = text.startIndex
    guard text.count == 10, text[at + 4] == UInt8(ascii: "-"), text[at + 7] == UInt8(ascii: "-"),
      let year = Messaging.number(text[at..<at + 4]), let month = Messaging.number(text[at + 5..<at + 7]),
      let day = Messaging.number(text[at + 8..<at + 10]), year >= 1, (1...12).contains(month), day >= 1
    else { return nil }
    self.init(year: year, month: month, day: day)
    // A day beyond its month's end is another day than the one written.
    guard civil == (year, month, day) else { return nil }
  }

  /// Nil for a day that does not exist.
  fileprivate init?(year: Int, month: Int, existing day: Int) {
    guard year >= 1, (1...12).contains(month), day >= 1 else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    guard day <= days else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// By the proleptic Gregorian calendar, as in Howard Hinnant's "chrono-compatible low-level date algorithms".
  private init(year: Int, month: Int, day: Int) {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  package static func < (a: Day, b: Day) -> Bool { a.number < b.number }

  package var description: String {
    let (year, month, day) = civil
    guard (0...9999).contains(year) else { return "\(year)-\(month)-\(day)" }
    return String(unsafeUninitializedCapacity: 10) { out in
      write(year, month, day, to: out)
      return 10
    }
  }

  /// Year, month and day of the month, by the same algorithms.
  fileprivate var civil: (year: Int, month: Int, day: Int) {
    let z = number + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// Decimal digits only; nil where any other byte stands.
private func number(_ digits: ArraySlice<UInt8>) -> Int? {
  var value = 0
  for byte in digits {
    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    value = value * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return value
}

/// Writes the last `width` decimal digits of a value that is not negative.
private func write(_ value: Int, _ width: Int, to out: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
  var rest = value
  for index in (start..<start + width).reversed() {
    out[index] = UInt8(ascii: "0") + UInt8(rest % 10)
    rest /= 10
  }
}

/// Writes `YYYY-MM-DD` to the first ten bytes.
private func write(_ year: Int, _ month: Int, _ day: Int, to out: UnsafeMutableBufferPointer<UInt8>) {
  write(year, 4, to: out, at: 0)
  out[4] = UInt8(ascii: "-")
  write(month, 2, to: out, at: 5)
  out[7] = UInt8(ascii: "-")
  write(day, 2, to: out, at: 8)
}
