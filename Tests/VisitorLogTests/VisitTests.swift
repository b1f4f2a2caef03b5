import Messaging
import TestSupport
import Testing
import VisitorLogService

struct VisitTests {
  let log: VisitorLogTester
  let ada: JSON
  init() throws {
    log = try VisitorLogTester()
    log.owner.now = try #require(Timestamp("2026-05-25T12:00:00.000Z"))
    ada = JSON(try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id)
  }

  @Test func `a visit is recorded at the time of its command, unless it says another`() throws {
    let now = log.owner.now
    let done = try log.send("visit.record", ["visitor": ["name": "Lovelace"]])
    #expect(
      done.data == [
        [
          "id": JSON(done.id), "visitor": ["id": ada, "name": "Lovelace, Ada"], "arrivedAt": JSON(now),
          "departedAt": nil,
        ]
      ])
    let id = MessageID.next()
    let old = try log.send(
      "visit.record", ["visitor": ada, "arrivedAt": "1999-12-31T23:00:00+01:00", "again": true, "id": JSON(id)])
    #expect(old.id == id)
    #expect(old.data[0]["arrivedAt"] == "1999-12-31T22:00:00.000Z")
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a visitor comes, cannot come again, goes, and the visit is reopened`() throws {
    let visit = JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": "2026-05-25T08:30:00Z"]).id)
    let second = try log.refusal("visit.record", ["visitor": ada])
    #expect(second.code == "already-in")
    #expect(second.json["existing"] == visit)
    #expect(second.detail == "Ada Lovelace is in already, since 2026-05-25T08:30:00.000Z.")
    let now = log.owner.now
    let ended = try log.send("visit.end", ["visitor": ["name": "Ada Lovelace"]])
    #expect(
      ended.data == [
        [
          "id": visit, "visitor": ["id": ada, "name": "Lovelace, Ada"], "before": ["departedAt": nil],
          "after": ["departedAt": JSON(now)],
        ]
      ])
    let reopened = try log.send("visit.edit", ["visit": visit, "departedAt": nil])
    #expect(reopened.types == ["visit.edited"])
    #expect(reopened.data[0]["before"] == ["departedAt": JSON(now)])
    #expect(reopened.data[0]["after"] == ["departedAt": nil])
    #expect(try log.refusal("visit.record", ["visitor": ada]).code == "already-in")
    let early = try log.refusal("visit.end", ["visit": visit, "departedAt": "2026-05-25T08:29:59.999Z"])
    #expect(early.code == "invalid")
    #expect(early.fields == ["departedAt"])
    try log.send("visit.end", ["visit": visit, "departedAt": "2026-05-25T08:30:00Z"])
    try log.send("visit.record", ["visitor": ada])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `an arrival is at most a day in the future`() throws {
    let day: Int64 = 86_400_000
    let latest = Timestamp(milliseconds: log.owner.now.milliseconds + day)
    let visit = JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": JSON(latest)]).id)
    // Each command moves the time on by a millisecond.
    let tooLate = Timestamp(milliseconds: log.owner.now.milliseconds + day + 1)
    for (verb, data) in [
      ("visit.record", ["visitor": ada, "arrivedAt": JSON(tooLate), "again": true]),
      ("visit.edit", ["visit": visit, "arrivedAt": JSON(Timestamp(milliseconds: tooLate.milliseconds + 10))]),
    ] as [(String, JSON)] {
      let problem = try log.refusal(verb, data)
      #expect(problem.code == "invalid")
      #expect(problem.fields == ["arrivedAt"])
    }
    #expect(try log.refusal("visit.end", ["visit": visit]).fields == ["departedAt"])
  }

  @Test func `ending a visit that has ended is refused, by visit and by visitor`() throws {
    #expect(try log.refusal("visit.end", ["visitor": ada]).code == "not-found")
    let visit = JSON(try log.send("visit.record", ["visitor": ada]).id)
    try log.send("visit.end", ["visit": visit])
    for data in [["visit": visit], ["visitor": ada]] as [JSON] {
      let problem = try log.refusal("visit.end", data)
      #expect(problem.code == "visit-already-ended")
      #expect(problem.status == 409)
      #expect(problem.json["existing"] == visit)
    }
  }

  @Test func `of several open visits a command has to say which`() throws {
    let first = JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": "2026-05-25T08:00:00Z"]).id)
    let second = JSON(
      try log.send("visit.record", ["visitor": ada, "arrivedAt": "2026-05-25T09:00:00Z", "again": true]).id)
    let problem = try log.refusal("visit.end", ["visitor": ada])
    #expect(problem.code == "ambiguous")
    #expect(problem.json["count"] == 2)
    let candidates = try #require(problem.json["candidates"]?.array)
    #expect(candidates.map { $0["id"] } == [second, first])
    #expect(candidates.map { $0["arrivedAt"] } == ["2026-05-25T09:00:00.000Z", "2026-05-25T08:00:00.000Z"])
    try log.send("visit.end", ["visit": second])
    #expect(try log.send("visit.end", ["visitor": ada]).id.map { JSON($0) } == first)
  }

  @Test func `a visit is ended by exactly one of visit and visitor`() throws {
    let visit = JSON(try log.send("visit.record", ["visitor": ada]).id)
    #expect(try log.refusal("visit.end", ["visit": visit, "visitor": ada]).fields == ["visit", "visitor"])
    #expect(try log.refusal("visit.end", [:]).fields == ["visit"])
    #expect(try log.send("visit.end", ["visit": visit, "visitor": nil]).types == ["visit.ended"])
  }

  @Test func `the times of a visit are put right, each held against the other`() throws {
    let visit = JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": "2026-05-25T08:00:00Z"]).id)
    let edited = try log.send(
      "visit.edit", ["visit": visit, "arrivedAt": "2026-05-25T09:00:00Z", "departedAt": "2026-05-25T10:00:00Z"])
    #expect(edited.data[0]["before"] == ["arrivedAt": "2026-05-25T08:00:00.000Z", "departedAt": nil])
    #expect(
      edited.data[0]["after"] == ["arrivedAt": "2026-05-25T09:00:00.000Z", "departedAt": "2026-05-25T10:00:00.000Z"])
    let late = try log.refusal("visit.edit", ["visit": visit, "arrivedAt": "2026-05-25T10:00:00.001Z"])
    #expect(late.fields == ["arrivedAt"])
    let early = try log.refusal("visit.edit", ["visit": visit, "departedAt": "2026-05-25T08:59:59Z"])
    #expect(early.fields == ["departedAt"])
    #expect(try log.refusal("visit.edit", ["visit": visit, "arrivedAt": nil]).fields == ["arrivedAt"])
    #expect(
      try log.send(
        "visit.edit", ["visit": visit, "arrivedAt": "2026-05-25T11:00:00+02:00", "departedAt": "2026-05-25T10:00:00Z"]
      ).types == [])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a removed visit stays removed, and its visitor stays`() throws {
    let visit = JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": "2026-05-25T08:00:00Z"]).id)
    let done = try log.send("visit.remove", ["visit": visit])
    #expect(done.types == ["visit.removed"])
    #expect(
      done.data[0]["last"] == [
        "id": visit, "visitor": ["id": ada, "name": "Lovelace, Ada"], "arrivedAt": "2026-05-25T08:00:00.000Z",
        "departedAt": nil,
      ])
    for verb in ["visit.end", "visit.edit", "visit.remove"] {
      #expect(try log.refusal(verb, ["visit": visit]).code == "not-found", "\(verb)")
    }
    try log.send("visit.record", ["visitor": ada])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a visit has no name`() throws {
    try log.send("visit.record", ["visitor": ada])
    #expect(try log.refusal("visit.end", ["visit": ["name": "Lovelace"]]).fields == ["visit"])
  }
}
