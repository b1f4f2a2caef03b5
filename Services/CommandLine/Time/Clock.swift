import Foundation
import Messaging

/// Reads and shows times in one zone. Dates have none: they are read and shown as they are.
struct Clock: Sendable {
  let zone: TimeZone
  let now: Timestamp

  init(zone: TimeZone, now: Timestamp) {
    self.zone = zone
    self.now = now
  }

  /// `zone`: a name such as `Europe/Berlin`, `UTC`, `UTC-11`, `+05:30`; nil: the host's.
  init(zone name: String?, now: Timestamp) throws {
    guard let name else {
      self.init(zone: .current, now: now)
      return
    }
    guard let zone = Clock.zone(name) else {
      throw Failure.usage("there is no time zone \"\(name)\"; use a name such as Europe/Berlin, or UTC+2")
    }
    self.init(zone: zone, now: now)
  }

  static func zone(_ name: String) -> TimeZone? {
    var text = name[...]
    for prefix in ["UTC", "GMT"] where text.uppercased().hasPrefix(prefix) {
      text = text.dropFirst(3)
      if text.isEmpty { return TimeZone(secondsFromGMT: 0) }
      break
    }
    if name == "Z" || name == "z" { return TimeZone(secondsFromGMT: 0) }
    // A Unicode minus is taken like a hyphen.
    if let sign = text.first, "+-−".contains(sign) {
      let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), let hours = Int(parts[0]), (0...18).contains(hours),
        let minutes = parts.count == 2 ? Int(parts[1]) : 0, (0...59).contains(minutes)
      else { return nil }
      return TimeZone(secondsFromGMT: (hours * 3600 + minutes * 60) * (sign == "+" ? 1 : -1))
    }
    return TimeZone(identifier: name)
  }

  // MARK: - Reading

  /// The day it is now in the zone.
  var today: Day { day(of: now) }

  /// A date: `today`, `tomorrow`, `yesterday`, `YYYY-MM-DD`, or the zone's day of an RFC 3339 time.
  func day(_ text: String) throws -> Day {
    if let day = named(text) ?? Day(text) { return day }
    if let time = Timestamp(text) { return day(of: time) }
    throw Failure.usage("\"\(text)\" is no date; write YYYY-MM-DD, today, tomorrow or yesterday")
  }

  /// A moment: `now`, a day (its first moment), `HH:MM` (today), a day and `HH:MM`, or an RFC 3339 time.
  func moment(_ text: String) throws -> Timestamp {
    if text.lowercased() == "now" { return now }
    if let time = Timestamp(text) { return time }
    if let day = named(text) ?? Day(text) { return firstMoment(of: day) }
    let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" || $0 == "t" }).map(String.init)
    if parts.count == 1, let time = Clock.timeOfDay(parts[0]) { return try at(time, on: today) }
    // `today` holds a t: look for the last blank or T only.
    if let split = text.lastIndex(where: { $0 == " " || $0 == "T" }),
      let day = named(String(text[..<split])) ?? Day(String(text[..<split])),
      let time = Clock.timeOfDay(String(text[text.index(after: split)...]))
    {
      return try at(time, on: day)
    }
    throw Failure.usage(
      "\"\(text)\" is no time; write HH:MM, YYYY-MM-DD, \"YYYY-MM-DD HH:MM\", now, today, tomorrow or yesterday")
  }

  private func named(_ text: String) -> Day? {
    switch text.lowercased() {
    case "today": today
    case "tomorrow": Day(number: today.number + 1)
    case "yesterday": Day(number: today.number - 1)
    default: nil
    }
  }

  /// Milliseconds since midnight on the wall clock, of `H:MM` or `HH:MM` with optional seconds.
  static func timeOfDay(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), (1...2).contains(parts[0].count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, numbers[0] < 24, numbers[1] < 60, numbers.last ?? 0 < 60 else { return nil }
    return (numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)) * 1000
  }

  /// The moment when the zone's clocks show that time: the earlier one where they show it twice.
  private func at(_ time: Int64, on day: Day) throws -> Timestamp {
    let local = Int64(day.number) * 86_400_000 + time
    guard let moment = moments(local).first else {
      let wall = Timestamp(milliseconds: local).description.dropFirst(11).prefix(5)
      throw Failure.usage("\(wall) does not exist on \(day) in \(zone.identifier): the clocks are put forward")
    }
    return moment
  }

  private func firstMoment(of day: Day) -> Timestamp {
    let local = Int64(day.number) * 86_400_000
    if let moment = moments(local).first { return moment }
    // Midnight is skipped: the day begins where the clocks were put forward.
    let before = Timestamp(milliseconds: local - 86_400_000 - offset(at: local))
    let next = zone.nextDaylightSavingTimeTransition(after: Clock.date(before))
    return next.map { Timestamp(milliseconds: Int64(($0.timeIntervalSince1970 * 1000).rounded())) } ?? before
  }

  private func moments(_ local: Int64) -> [Timestamp] {
    let offsets = Set([offset(at: local - 86_400_000), offset(at: local), offset(at: local + 86_400_000)])
    return offsets.map { local - $0 }.filter { local - $0 == offset(at: $0) }.sorted()
      .map { Timestamp(milliseconds: $0) }
  }

  // MARK: - Showing

  func day(of time: Timestamp) -> Day {
    Timestamp(milliseconds: time.milliseconds + offset(at: time.milliseconds)).day
  }

  /// `2026-05-25 08:30`, or with seconds.
  func show(_ time: Timestamp, seconds: Bool = false) -> String {
    let text = Timestamp(milliseconds: time.milliseconds + offset(at: time.milliseconds)).description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(seconds ? 8 : 5))"
  }

  private func offset(at milliseconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Clock.date(Timestamp(milliseconds: milliseconds)))) * 1000
  }

  private static func date(_ time: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
  }
}
