import Messaging
import Testing

struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (1_779_697_800_000, "2026-05-25T08:30:00.000Z"),
      (951_782_400_007, "2000-02-29T00:00:00.007Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func `a moment is written in RFC 3339 and read back to the millisecond`(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test func `every moment of a leap year's ends and of odd milliseconds comes back`() {
    for day in stride(from: -800_000 as Int64, to: 2_900_000, by: 997) {
      if day < -719_162 { continue }
      let time = Timestamp(milliseconds: day * 86_400_000 + (day * 7919) % 86_400_000)
      if time.milliseconds > 253_402_300_799_999 { continue }
      #expect(Timestamp(time.description) == time)
    }
  }

  @Test(
    arguments: [
      ("2026-05-25T08:30:00Z", 0), ("2026-05-25t08:30:00z", 0), ("2026-05-25 08:30:00Z", 0),
      ("2026-05-25T10:30:00+02:00", 0), ("2026-05-24T21:30:00-11:00", 0), ("2026-05-25T08:30:00.5Z", 500),
      ("2026-05-25T08:30:00.123456789Z", 123), ("2026-05-25T08:30:00.04Z", 40), ("2026-05-25T22:30:00+14:00", 0),
    ] as [(String, Int64)])
  func `other spellings of one moment are read`(text: String, more: Int64) {
    #expect(Timestamp(text)?.milliseconds == 1_779_697_800_000 + more)
  }

  @Test(arguments: [
    "", "2026-05-25", "2026-05-25T08:30:00", "2026-05-25T08:30Z", "2026-05-25T24:00:00Z", "2026-05-25T08:60:00Z",
    "2026-05-25T08:30:60Z", "2026-02-29T08:30:00Z", "2026-05-25T08:30:00.Z", "2026-05-25T08:30:00Z ",
    "2026-05-25T08:30:00+0200", "2026-05-25T08:30:00+24:00", "+026-05-25T08:30:00Z", "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00", "２026-05-25T08:30:00Z",
  ])
  func `anything else is none`(text: String) { #expect(Timestamp(text) == nil) }

  @Test(arguments: ["2026-05-25", "2000-02-29", "0001-01-01", "9999-12-31", "1969-12-31"])
  func `a day comes back as it was, whatever the host's zone`(text: String) {
    #expect(Day(text)?.description == text)
  }

  @Test(arguments: [
    "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "0000-01-01", "26-01-01",
    "2026-1-1", "2026-01-01Z", "2026/01/01", "", "-001-01-01",
  ])
  func `what is no day is none`(text: String) { #expect(Day(text) == nil) }

  @Test func `days count on without a gap, and the day of a moment is that in UTC`() {
    for number in -719_162..<(-718_000) { #expect(Day(Day(number: number).description)?.number == number) }
    for number in -62_091..<84_371 { #expect(Day(Day(number: number).description)?.number == number) }
    #expect(Timestamp("2026-05-25T23:30:00-02:00")?.day.description == "2026-05-26")
    #expect(Timestamp(milliseconds: -1).day.description == "1969-12-31")
  }
}
