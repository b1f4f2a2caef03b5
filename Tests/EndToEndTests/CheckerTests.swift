import Foundation
import Messaging
import SQLite
import Synchronization
import Testing

/// The checker itself must be able to fail: one fault planted in a copy of a sound data directory, each found.
@Suite(.serialized) struct CheckerTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    /// What one of the findings must hold.
    let sign: String
    let plant: @Sendable (_ copy: String) throws -> Void
    var testDescription: String { name }
  }

  static let faults: [Fault] = [
    Fault(name: "a lost event", sign: "counts") { copy in
      try sql(copy + "/log/log.sqlite") { db in
        let place = try wholeCommand(db)
        try db.prepare("DELETE FROM record WHERE partition = ? AND offset = ?").run(place.partition, place.offset)
      }
    },
    Fault(name: "a doubled event", sign: "its id stands twice") { copy in
      try sql(copy + "/log/log.sqlite") { db in
        let place = try wholeCommand(db)
        try db.prepare(
          """
          INSERT INTO record SELECT partition, (SELECT max(offset) FROM record WHERE partition = ?1) + offset - ?2 + 1,
            time, key, headers, value, sequence FROM record WHERE partition = ?1 AND offset IN (?2, ?2 + 1)
          """
        ).run(place.partition, place.offset)
      }
    },
    Fault(name: "a swapped event", sign: "sequence") { copy in
      try sql(copy + "/log/log.sqlite") { db in
        let place = try wholeCommand(db)
        let move = try db.prepare("UPDATE record SET offset = ? WHERE partition = ? AND offset = ?")
        try move.run(-1, place.partition, place.offset)
        try move.run(place.offset, place.partition, place.offset + 1)
        try move.run(place.offset + 1, place.partition, -1)
      }
    },
    Fault(name: "a lost answer", sign: "has 0 decisions") { copy in
      try sql(copy + "/log/log.sqlite") { db in
        let place = try wholeCommand(db)
        try db.prepare("DELETE FROM record WHERE partition = ? AND offset = ?").run(place.partition, place.offset + 1)
      }
    },
    Fault(name: "an altered owner row", sign: "in the owner's database") { copy in
      try sql(copy + "/tasks/3.sqlite") {
        try $0.execute("UPDATE item SET title = 'altered' WHERE id = (SELECT min(id) FROM item)")
      }
    },
    Fault(name: "an altered read row", sign: "in the read model") { copy in
      try sql(copy + "/projection/projection.sqlite") {
        try $0.execute(
          "UPDATE item SET title = 'altered' WHERE id = (SELECT min(id) FROM item WHERE workspace = 'main')")
      }
    },
  ]

  @Test(.timeLimit(.minutes(3)))
  func `the checker finds each planted fault, and none where none is`() async throws {
    let folder = TemporaryFolder()
    let data = folder.path + "/data"
    let load = Load(seed: 11, limit: 600)
    let daybook = try DaybookProcess(up: data)
    load.run(port: daybook.port) { _ in true }
    let rows = try await ReadModel.entities(daybook.server)
    try #require(daybook.stop() == 0)
    #expect(try await Checker(data: data, told: load.told).findings(rows: rows) == [])

    var found = 0
    for fault in Self.faults {
      let copy = folder.path + "/copy"
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.copyItem(atPath: data, toPath: copy)
      try fault.plant(copy)
      var rows = rows
      if fault.name == "an altered read row" {
        let daybook = try DaybookProcess(up: copy)
        rows = try await ReadModel.entities(daybook.server)
        daybook.stop()
      }
      let findings = try await Checker(data: copy, told: load.told).findings(rows: rows)
      let isFound = findings.contains { $0.contains(fault.sign) }
      #expect(isFound, "\(fault.name): \(findings)")
      if isFound { found += 1 }
    }
    print("\(found)/\(Self.faults.count) found")
  }

  private static func sql(_ path: String, _ body: (Connection) throws -> Void) throws {
    let db = try Connection(path, .writing)
    try body(db)
    db.close()
  }

  /// An accepted command of one event in the partition of `main`: the place of its event; its decision is the next.
  private static func wholeCommand(_ db: Connection) throws -> (partition: Int64, offset: Int64) {
    let place = try db.prepare(
      """
      SELECT a.partition, a.offset FROM record a JOIN record b ON b.partition = a.partition AND b.offset = a.offset + 1
      JOIN record z ON z.partition = a.partition AND z.offset = a.offset - 1
      JOIN partition p ON p.id = a.partition AND p.topic = 'daybook.tasks.events' AND p.number = 3
      WHERE instr(b.value, '"events":1,') AND instr(b.value, '"status":"accepted"') AND instr(z.value, '"answer"')
      ORDER BY a.offset LIMIT 1 OFFSET 5
      """
    ).first { (partition: $0.int64(0), offset: $0.int64(1)) }
    return try #require(place)
  }
}
