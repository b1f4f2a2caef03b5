import Messaging
import Testing

struct TimestampTests {
  @Test(arguments: [
    ("2026-05-25T08:30:00Z", "2026-05-25T08:30:00.000Z"),
    ("2026-05-25T08:30:00.1239+02:00", "2026-05-25T06:30:00.123Z"),
    ("2026-01-01T00:00:00+14:00", "2025-12-31T10:00:00.000Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"), ("1969-12-31t23:59:59.5z", "1969-12-31T23:59:59.500Z"),
    ("2024-02-29T00:00:00-11:00", "2024-02-29T11:00:00.000Z"),
  ])
  func `a moment is read with its offset and written in UTC`(text: String, utc: String) throws {
    let time = try #require(Timestamp(text))
    #expect(time.description == utc)
    #expect(Timestamp(utc) == time)
  }

  @Test(arguments: [
    "", "2026-05-25", "2026-05-25T08:30Z", "2026-05-25T08:30:00", "2026-05-25T24:00:00Z", "2026-02-30T00:00:00Z",
    "2026-05-25T08:30:60Z", "2026-05-25T08:30:00.Z", "2026-05-25T08:30:00+2", "2026-05-25T08:30:00Zx",
    // Behind the offset stand the years 0 and 10000, which cannot be written as four digits.
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",
  ])
  func `anything else is no moment`(text: String) { #expect(Timestamp(text) == nil) }

  @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-01", "26-01-01", "2026-01-01T"])
  func `a day that does not exist is none`(text: String) { #expect(Day(text) == nil) }

  @Test func `every day of four centuries is read back as it was written`() throws {
    let first = try #require(Day("1800-01-01")), last = try #require(Day("2200-12-31"))
    for number in first.number...last.number {
      let day = Day(number: number)
      guard Day(day.description) == day else {
        Issue.record("\(day) is not read back")
        return
      }
    }
  }
}
