import Messaging
import TestSupport
import Testing
import VisitorLogService

struct BadgeTests {
  let log: VisitorLogTester
  let ada: JSON
  let bob: JSON
  init() throws {
    log = try VisitorLogTester()
    ada = JSON(try log.send("visitor.register", ["firstName": "Ada", "lastName": "Lovelace"]).id)
    bob = JSON(try log.send("visitor.register", ["firstName": "Bob"]).id)
  }

  @Test func `a badge has one holder and a holder one badge, until they are transferred or returned`() throws {
    let first = JSON(try log.send("badge.add", ["number": "B-1"]).id)
    try log.send("badge.add", ["number": "B-2"])
    let issued = try log.send("badge.issue", ["badge": ["name": "b-1"], "visitor": ada])
    #expect(issued.types == ["badge.issued"])
    #expect(
      issued.data[0] == [
        "id": first, "badge": ["id": first, "name": "B-1"], "visitor": ["id": ada, "name": "Lovelace, Ada"],
      ])

    let taken = try log.refusal("badge.issue", ["badge": first, "visitor": bob])
    #expect(taken.code == "badge-taken")
    #expect(taken.status == 409)
    #expect(taken.json["holder"] == ["id": ada, "name": "Lovelace, Ada"])
    #expect(taken.json["existing"] == ada)
    let second = try log.refusal("badge.issue", ["badge": ["name": "B-2"], "visitor": ada])
    #expect(second.code == "visitor-has-badge")
    #expect(second.json["badge"] == ["id": first, "name": "B-1"])
    #expect(second.json["existing"] == first)

    let transferred = try log.send("badge.issue", ["badge": first, "visitor": bob, "transfer": true])
    #expect(transferred.types == ["badge.returned", "badge.issued"])
    #expect(transferred.data.map { $0["visitor"]?["id"] } == [ada, bob])
    #expect(try log.send("badge.return", ["badge": first]).types == ["badge.returned"])
    #expect(try log.send("badge.issue", ["badge": first, "visitor": bob]).types == ["badge.issued"])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a transfer returns all that is in the way`() throws {
    for (number, visitor) in [("B-1", ada), ("B-2", bob)] {
      try log.send("badge.add", ["number": .string(number)])
      try log.send("badge.issue", ["badge": ["name": .string(number)], "visitor": visitor])
    }
    let done = try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": bob, "transfer": true])
    #expect(done.types == ["badge.returned", "badge.returned", "badge.issued"])
    #expect(done.data.map { $0["badge"]?["name"] } == ["B-1", "B-2", "B-1"])
    #expect(done.data.map { $0["visitor"]?["name"] } == ["Lovelace, Ada", "Bob", "Bob"])
    #expect(
      try log.rows("SELECT number, first_name FROM badge LEFT JOIN visitor ON visitor.id = visitor ORDER BY 1")
        == ["B-1 | Bob", "B-2 | null"])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `a badge issued twice to one visitor is one event`() throws {
    try log.send("badge.add", ["number": "B-1"])
    try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": ada])
    #expect(try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": ada]).types == [])
    #expect(try log.send("badge.issue", ["badge": ["name": "B-1"], "visitor": ada, "transfer": true]).types == [])
  }

  @Test func `a badge comes back by its number or by its holder`() throws {
    let badge = JSON(try log.send("badge.add", ["number": "B-1"]).id)
    for data in [["badge": ["name": "B-1"]], ["badge": badge], ["visitor": ada], ["visitor": ["name": "Lovelace"]]]
      as [JSON]
    {
      try log.send("badge.issue", ["badge": badge, "visitor": ada])
      let done = try log.send("badge.return", data)
      #expect(done.types == ["badge.returned"])
      #expect(done.id.map { JSON($0) } == badge)
      #expect(try log.refusal("badge.return", data).code == "no-badge")
    }
    #expect(try log.refusal("badge.return", ["badge": badge, "visitor": ada]).fields == ["badge", "visitor"])
    #expect(try log.refusal("badge.return", [:]).fields == ["badge"])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test(arguments: ["B-1", "b-1", " B-1 ", "Ｂ-１"])
  func `a number that a badge has is refused with the holder of the number`(number: String) throws {
    let badge = try log.send("badge.add", ["number": "B-1"]).id
    let problem = try log.refusal("badge.add", ["number": .string(number)])
    #expect(problem.code == "badge-number-taken")
    #expect(problem.json["existing"] == JSON(badge))
  }

  @Test func `a badge goes only while nobody has it`() throws {
    let badge = JSON(try log.send("badge.add", ["number": "B-1"]).id)
    try log.send("badge.issue", ["badge": badge, "visitor": bob])
    let problem = try log.refusal("badge.remove", ["badge": badge])
    #expect(problem.code == "badge-issued")
    #expect(problem.json["holder"] == ["id": bob, "name": "Bob"])
    try log.send("badge.return", ["visitor": bob])
    let done = try log.send("badge.remove", ["badge": ["name": "B-1"]])
    #expect(done.data == [["id": badge, "last": ["id": badge, "number": "B-1"]]])
    #expect(try log.refusal("badge.issue", ["badge": badge, "visitor": bob]).code == "not-found")
    let again = try log.send("badge.add", ["number": "B-1"])
    #expect(again.id.map { JSON($0) } != badge)
    #expect(try log.differenceFromFold() == nil)
  }
}
