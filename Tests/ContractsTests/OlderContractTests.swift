import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OlderContractTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func `a data directory of an older contract is opened, and folds from its log to the same rows`() async throws {
    try await older()

    let log = try EmbeddedLog(directory: directory.path)
    let opened = try await goingOn(log, data: directory.path)
    #expect(opened == ["7 | Here | 1 | Ada | 1", "12 | There | 1 | - | 3", "5 | Home | 4 | - | 5"])

    // The database is lost; the log's events of both versions make the same one.
    try FileManager.default.removeItem(atPath: directory.file("trips"))
    #expect(try await goingOn(log, data: directory.path, adds: false) == opened)
    await log.close()
  }

  @Test func `the older build refuses what the newer one has touched, and leaves it as it is`() async throws {
    try await older()
    let log = try EmbeddedLog(directory: directory.path)
    let rows = try await goingOn(log, data: directory.path)
    await #expect(throws: Migrator.Refusal.self) {
      try await RunningOwner<FirstTripsDomain>(log: log, data: directory.path)
    }
    #expect(try self.rows() == rows)
    await log.close()
  }

  /// A log and a database as the first build leaves them.
  private func older() async throws {
    let log = try EmbeddedLog(directory: directory.path)
    let owner = try await RunningOwner<FirstTripsDomain>(log: log, data: directory.path)
    _ = try await owner.ask("trips.trip.add.v1", ["km": "7", "from": "Here", "mood": "good", "driver": "Ada"])
    _ = try await owner.ask("trips.trip.add.v1", ["km": "12", "from": "There", "mood": "bad", "driver": ""])
    try await owner.stop()
    await log.close()
  }

  /// The rows after the newest build has run on that directory; it adds a trip of its own.
  private func goingOn(_ log: EmbeddedLog, data: String, adds: Bool = true) async throws -> [String] {
    let owner = try await RunningOwner<TripsDomain>(log: log, data: data)
    _ = try await owner.ask("trips.trip.add.v1", adds ? ["km": 5, "start": "Home"] : ["refused": true])
    try await owner.stop()
    return try rows()
  }

  private func rows() throws -> [String] {
    let db = try Connection(directory.file("trips/0.sqlite"), .reading)
    defer { db.close() }
    return try db.prepare("SELECT km, start, seats, driver, sequence FROM trip ORDER BY sequence").map { row in
      "\(row.int(0)) | \(row.string(1)) | \(row.int(2)) | \(row.stringOrNil(3) ?? "-") | \(row.int(4))"
    }
  }
}
