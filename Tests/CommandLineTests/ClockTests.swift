import Messaging
import Testing

@testable import CommandLineClient

@Suite struct ClockTests {
  private func clock(_ zone: String, _ now: String = "2026-05-25T10:30:00Z") throws -> Clock {
    try Clock(zone: zone, now: #require(Timestamp(now)))
  }

  @Test(arguments: ["Pacific/Pago_Pago", "UTC-11", "UTC", "Pacific/Kiritimati", "+14:00", "Europe/Berlin"])
  func `a date is the same in every zone`(zone: String) throws {
    #expect(try clock(zone).day("2026-05-25").description == "2026-05-25")
    #expect(try Values.member("dueOn", "2026-05-25", clock(zone)) == "2026-05-25")
  }

  @Test(arguments: [
    ("UTC-11", "2026-05-24", "2026-05-25", "2026-05-23"), ("UTC+14", "2026-05-26", "2026-05-27", "2026-05-25"),
    ("UTC", "2026-05-25", "2026-05-26", "2026-05-24"),
  ])
  func `today, tomorrow and yesterday are the zone's`(
    zone: String, today: String, tomorrow: String, yesterday: String
  ) throws {
    let clock = try clock(zone)
    #expect(try clock.day("today").description == today)
    #expect(try clock.day("Tomorrow").description == tomorrow)
    #expect(try clock.day("yesterday").description == yesterday)
  }

  @Test(arguments: [
    ("Europe/Berlin", "08:30", "2026-05-25T06:30:00.000Z"), ("Europe/Berlin", "8:30", "2026-05-25T06:30:00.000Z"),
    ("Europe/Berlin", "08:30:15", "2026-05-25T06:30:15.000Z"),
    ("Europe/Berlin", "2026-01-02", "2026-01-01T23:00:00.000Z"),
    ("Europe/Berlin", "2026-01-02 08:30", "2026-01-02T07:30:00.000Z"),
    ("Europe/Berlin", "2026-01-02T08:30", "2026-01-02T07:30:00.000Z"),
    ("Europe/Berlin", "yesterday 23:59", "2026-05-24T21:59:00.000Z"),
    ("Europe/Berlin", "now", "2026-05-25T10:30:00.000Z"),
    ("Europe/Berlin", "2026-01-02T08:30:00+05:30", "2026-01-02T03:00:00.000Z"),
    ("UTC-11", "23:00", "2026-05-25T10:00:00.000Z"), ("UTC+14", "today", "2026-05-25T10:00:00.000Z"),
    // The clocks go back: the earlier of two.
    ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25T00:30:00.000Z"),
    ("America/New_York", "2026-03-08 03:00", "2026-03-08T07:00:00.000Z"),
    // Midnight is skipped: the day begins an hour later.
    ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"),
  ])
  func `times are read in the zone`(zone: String, text: String, moment: String) throws {
    #expect(try clock(zone).moment(text).description == moment)
  }

  @Test func `a time that the clocks skip is refused`() throws {
    let clock = try clock("Europe/Berlin")
    #expect(throws: Failure.usage("02:30 does not exist on 2026-03-29 in Europe/Berlin: the clocks are put forward")) {
      try clock.moment("2026-03-29 02:30")
    }
  }

  @Test(arguments: ["25:00", "8", "noon", "2026-02-30", "2026-13-01 08:00", "", " ", "08:3", "tomorow", "08:30 08:30"])
  func `what is no time is wrong usage`(text: String) throws {
    let clock = try clock("UTC")
    #expect(throws: Failure.self) { try clock.moment(text) }
    #expect(throws: Failure.self) { try clock.day(text) }
  }

  @Test func `times are shown in the zone`() throws {
    let time = try #require(Timestamp("2026-05-25T10:30:09.999Z"))
    #expect(try clock("UTC-11").show(time) == "2026-05-24 23:30")
    #expect(try clock("UTC+14").show(time, seconds: true) == "2026-05-26 00:30:09")
    #expect(try clock("Asia/Kathmandu").show(time) == "2026-05-25 16:15")
  }

  @Test(arguments: ["Mars/Base", "UTC+25", "+1:75", "UTC+", ""])
  func `an unknown zone is wrong usage`(zone: String) {
    #expect(throws: Failure.self) { try clock(zone) }
  }
}
