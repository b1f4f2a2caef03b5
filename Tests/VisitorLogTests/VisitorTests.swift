import Contracts
import Messaging
import TestSupport
import Testing
import VisitorLogService

typealias VisitorLogTester = RulesTester<VisitorLogDomain>

struct VisitorTests {
  let log: VisitorLogTester
  init() throws { log = try VisitorLogTester() }

  @Test func `a visitor is registered with the keys that they are found by`() throws {
    let now = log.owner.now
    let done = try log.send("visitor.register", ["firstName": " Ada ", "lastName": "Lovelace"])
    #expect(
      done.data == [
        [
          "id": JSON(done.id), "firstName": "Ada", "lastName": "Lovelace",
          "keys": ["ada lovelace", "lovelace ada", "lovelace, ada", "lovelace"], "registeredAt": JSON(now),
        ]
      ])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a create takes an id and a time of its own`() throws {
    let id = MessageID.next()
    let done = try log.send(
      "visitor.register", ["lastName": "x", "id": JSON(id), "registeredAt": "2001-02-03T04:05:06.789+02:00"])
    #expect(done.id == id)
    #expect(done.data[0]["registeredAt"] == "2001-02-03T02:05:06.789Z")
  }

  @Test(
    arguments: [[:], ["firstName": "", "lastName": " "], ["firstName": nil, "lastName": "\t"], ["firstName": ""]]
      as [JSON])
  func `both names blank is refused, naming both`(data: JSON) throws {
    let problem = try log.refusal("visitor.register", data)
    #expect(problem.code == "invalid")
    #expect(problem.fields == ["firstName", "lastName"])
    let id = JSON(try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id)
    let both = try log.refusal("visitor.rename", ["visitor": id, "firstName": nil, "lastName": " "])
    #expect(both.fields == ["firstName", "lastName"])
    #expect(try log.rows("SELECT first_name, last_name FROM visitor") == ["Ada | Lovelace"])
  }

  @Test func `one name is enough`() throws {
    let first = try log.send("visitor.register", ["firstName": "Madonna"])
    #expect(first.data[0]["keys"] == ["madonna"])
    #expect(first.data[0]["lastName"] == "")
    try log.send("visitor.register", ["lastName": "Čapek"])
    for name in ["madonna", "ČAPEK", "C\u{30c}apek"] {
      try log.send("visit.record", ["visitor": ["name": .string(name)], "again": true])
    }
    #expect(try log.differenceFromFold() == nil)
  }

  @Test(arguments: [
    "Ada Lovelace", "Lovelace Ada", "Lovelace, Ada", "lovelace", "ADA  LOVELACE", " ada lovelace ",
  ])
  func `a visitor is found by full name in either order, or by last name`(name: String) throws {
    let ada = try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id
    try log.send("visitor.register", ["firstName": "Grace", "lastName": "Hopper"])
    let visit = try log.send("visit.record", ["visitor": ["name": .string(name)]])
    #expect(visit.data[0]["visitor"] == ["id": JSON(ada), "name": "Lovelace, Ada"])
  }

  @Test(arguments: ["Ada", "Love", "Ada, Lovelace", "Hopper Ada", "Adalovelace"])
  func `what is not their name finds nobody`(name: String) throws {
    try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"])
    #expect(try log.refusal("visit.record", ["visitor": ["name": .string(name)]]).code == "not-found")
  }

  @Test func `a last name that two have is ambiguous with what tells them apart, and the full name is not`() throws {
    let ada = try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id
    let ralph = try log.send("visitor.register", ["firstName": "Ralph", "lastName": "Lovelace"]).id
    try log.send("badge.add", ["number": "B-1"])
    try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": JSON(ralph)])
    let problem = try log.refusal("visit.record", ["visitor": ["name": "Lovelace"]])
    #expect(problem.code == "ambiguous")
    #expect(problem.status == 409)
    #expect(problem.json["count"] == 2)
    let candidates = try #require(problem.json["candidates"]?.array)
    #expect(candidates.map { $0["id"] } == [JSON(ada), JSON(ralph)])
    #expect(candidates.map { $0["name"] } == ["Lovelace, Ada", "Lovelace, Ralph"])
    #expect(candidates.map { $0["badge"] } == [.null, "B-1"])
    #expect(try log.rows("SELECT count(*) FROM visit") == ["0"])
    try log.send("visit.record", ["visitor": ["name": "Ada Lovelace"]])
  }

  @Test func `two visitors of one name are told apart by when they came`() throws {
    try log.send(
      "visitor.register", ["firstName": "John", "lastName": "Smith", "registeredAt": "2020-01-01T00:00:00Z"])
    let second = try log.send("visitor.register", ["firstName": "John", "lastName": "Smith"])
    try log.send("visit.record", ["visitor": JSON(second.id), "arrivedAt": "2026-05-25T08:30:00Z"])
    let problem = try log.refusal("visitor.remove", ["visitor": ["name": "Smith, John"]])
    #expect(problem.code == "ambiguous")
    let candidates = try #require(problem.json["candidates"]?.array)
    #expect(candidates[0]["registeredAt"] == "2020-01-01T00:00:00.000Z")
    #expect(candidates.map { $0["lastArrivedAt"] } == [.null, "2026-05-25T08:30:00.000Z"])
  }

  @Test func `a renamed visitor is found by the new name and not by the old one`() throws {
    let id = try log.send("visitor.register", ["firstName": "Ada", "lastName": "Byron"]).id
    let done = try log.send("visitor.rename", ["visitor": ["name": "Byron"], "lastName": "Lovelace"])
    #expect(
      done.data == [
        [
          "id": JSON(id), "keys": ["ada lovelace", "lovelace ada", "lovelace, ada", "lovelace"],
          "before": ["lastName": "Byron"], "after": ["lastName": "Lovelace"],
        ]
      ])
    #expect(try log.refusal("visit.record", ["visitor": ["name": "Byron"]]).code == "not-found")
    try log.send("visit.record", ["visitor": ["name": "Lovelace"]])
    let cleared = try log.send("visitor.rename", ["visitor": JSON(id), "firstName": nil])
    #expect(cleared.data[0]["after"] == ["firstName": ""])
    #expect(try log.rows("SELECT key FROM visitor_key") == ["lovelace"])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a visitor's own values sent back change nothing`() throws {
    let id = JSON(try log.send("visitor.register", ["firstName": "Zoë"]).id)
    let same = try log.send("visitor.rename", ["visitor": id, "firstName": "Zoe\u{308}", "lastName": ""])
    #expect(same.types == [])
    #expect(try log.send("visitor.rename", ["visitor": id, "lastName": nil]).types == [])
    #expect(try log.send("visitor.rename", ["visitor": id]).types == [])
  }

  @Test func `a removed visitor gives the badge back and takes the visits along, oldest first`() throws {
    let ada = JSON(try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id)
    let other = JSON(try log.send("visitor.register", ["lastName": "Hopper"]).id)
    try log.send("badge.add", ["number": "B-1"])
    try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": ada])
    let visits = try ["2026-05-25T08:30:00Z", "2026-05-24T08:30:00Z"].map { time in
      JSON(try log.send("visit.record", ["visitor": ada, "arrivedAt": .string(time), "again": true]).id)
    }
    try log.send("visit.end", ["visit": visits[0], "departedAt": "2026-05-25T09:00:00Z"])
    try log.send("visit.record", ["visitor": other])
    let done = try log.send("visitor.remove", ["visitor": ada])
    #expect(done.types == ["badge.returned", "visit.cascade-deleted", "visit.cascade-deleted", "visitor.removed"])
    #expect(done.id.map { JSON($0) } == ada)
    #expect(
      done.data[1] == [
        "id": visits[0],
        "last": [
          "id": visits[0], "visitor": ["id": ada, "name": "Lovelace, Ada"], "arrivedAt": "2026-05-25T08:30:00.000Z",
          "departedAt": "2026-05-25T09:00:00.000Z",
        ],
      ])
    #expect(done.data[3]["counts"] == ["visits": 2, "badges": 1])
    #expect(done.data[3]["last"]?["firstName"] == "Ada")
    #expect(try log.rows("SELECT last_name FROM visitor") == ["Hopper"])
    #expect(try log.rows("SELECT count(*) FROM visit") == ["1"])
    #expect(try log.rows("SELECT number, visitor FROM badge") == ["B-1 | null"])
    for (verb, field) in [
      ("visitor.rename", "visitor"), ("visitor.remove", "visitor"), ("visit.record", "visitor"),
      ("visit.end", "visitor"), ("badge.return", "visitor"),
    ] {
      #expect(try log.refusal(verb, [field: ada]).code == "not-found", "\(verb)")
    }
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a visitor without badge and visits goes alone`() throws {
    try log.send("visitor.register", ["lastName": "Hopper"])
    let done = try log.send("visitor.remove", ["visitor": ["name": "hopper"]])
    #expect(done.types == ["visitor.removed"])
    #expect(done.data[0]["counts"] == ["visits": 0, "badges": 0])
    #expect(try log.differenceFromFold() == nil)
  }
}
