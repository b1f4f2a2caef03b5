import Contracts
import Messaging
import TestSupport
import Testing
import VisitorLogService

/// What every command of the service has in common.
struct RefusalTests {
  let log: VisitorLogTester
  init() throws { log = try VisitorLogTester() }

  @Test(arguments: [
    String(repeating: "a", count: 201), "e" + String(repeating: "\u{327}\u{301}", count: 150), "a\u{1}b", "a\nb",
    "a\u{7f}b",
  ])
  func `a name that is too long or holds control characters is refused, naming its field`(name: String) throws {
    try log.send("visitor.register", ["lastName": "x"])
    let cases: [(String, JSON, String)] = [
      ("visitor.register", ["firstName": .string(name)], "firstName"),
      ("visitor.register", ["firstName": "a", "lastName": .string(name)], "lastName"),
      ("visitor.rename", ["visitor": ["name": "x"], "firstName": .string(name)], "firstName"),
      ("badge.add", ["number": .string(name)], "number"),
    ]
    for (verb, data, field) in cases {
      let problem = try log.refusal(verb, data)
      #expect(problem.code == "invalid")
      #expect(problem.status == 422)
      #expect(problem.fields == [field])
    }
    #expect(try log.refusal("badge.add", ["number": " "]).fields == ["number"])
  }

  @Test func `an unknown command is refused with the nearest`() throws {
    let problem = try log.refusal("visit.recrod", [:])
    #expect(problem.fields == ["type"])
    #expect(problem.detail.contains("did you mean visitorlog.visit.record.v1?"))
  }

  @Test func `an id that is no UUID, of another kind, or of another workspace`() throws {
    let visitor = try log.send("visitor.register", ["lastName": "Hopper"]).id
    let visit = try log.send("visit.record", ["visitor": JSON(visitor)]).id
    let foreign = try log.send("visitor.register", ["lastName": "Lovelace"], in: "other").id
    #expect(try log.refusal("visit.end", ["visit": "12"]).fields == ["visit"])
    #expect(try log.refusal("visit.end", ["visit": JSON(visitor)]).code == "not-found")
    #expect(try log.refusal("visit.record", ["visitor": JSON(visit)]).code == "not-found")
    #expect(try log.refusal("visit.record", ["visitor": JSON(foreign)]).code == "not-found")
    #expect(try log.refusal("visit.record", ["visitor": ["name": "Lovelace"]]).code == "not-found")
    #expect(try log.refusal("visit.end", ["visit": JSON(visit)], in: "other").code == "not-found")
  }

  @Test func `an id is taken when anything that lives in the workspace holds it`() throws {
    let id = MessageID.next()
    try log.send("visitor.register", ["lastName": "a", "id": JSON(id)])
    try log.send("visitor.register", ["lastName": "a", "id": JSON(id)], in: "other")
    #expect(try log.rows("SELECT workspace FROM visitor ORDER BY 1") == ["main", "other"])
    for (verb, data) in [
      ("visitor.register", ["lastName": "b", "id": JSON(id)]), ("badge.add", ["number": "b", "id": JSON(id)]),
      ("visit.record", ["visitor": JSON(id), "id": JSON(id)]),
    ] as [(String, JSON)] {
      let problem = try log.refusal(verb, data)
      #expect(problem.code == "id-taken")
      #expect(problem.status == 409)
      #expect(problem.json["existing"] == JSON(id))
    }
    try log.send("visitor.remove", ["visitor": JSON(id)])
    try log.send("badge.add", ["number": "b", "id": JSON(id)])
    #expect(try log.differenceFromFold() == nil)
  }

  @Test func `of two edits with one sequence the second is refused`() throws {
    let visitor = try log.send("visitor.register", ["firstName": "Ada", "lastName": "Byron"])
    let data: JSONObject = ["visitor": JSON(visitor.id), "ifSequence": .integer(visitor.sequence)]
    var first = data
    first["lastName"] = "Lovelace"
    try log.send("visitor.rename", .object(first))
    var second = data
    second["lastName"] = "King"
    let problem = try log.refusal("visitor.rename", .object(second))
    #expect(problem.code == "changed-since")
    #expect(problem.json["sequence"] == .integer(visitor.sequence + 2))
    #expect(try log.rows("SELECT last_name FROM visitor") == ["Lovelace"])
  }

  @Test func `a badge, not its holder, changes when it is issued or returned`() throws {
    let visitor = try log.send("visitor.register", ["lastName": "Hopper"])
    let badge = try log.send("badge.add", ["number": "B-1"])
    let issued = try log.send(
      "badge.issue",
      ["badge": JSON(badge.id), "visitor": JSON(visitor.id), "ifSequence": .integer(badge.sequence)])
    #expect(
      try log.refusal("badge.return", ["visitor": JSON(visitor.id), "ifSequence": .integer(badge.sequence)]).code
        == "changed-since")
    try log.send("badge.return", ["visitor": JSON(visitor.id), "ifSequence": .integer(issued.sequence)])
    try log.send(
      "visitor.rename",
      ["visitor": JSON(visitor.id), "lastName": "Murray", "ifSequence": .integer(visitor.sequence)])
  }

  @Test func `every edit and removal takes a sequence`() throws {
    try log.send("visitor.register", ["lastName": "v"])
    let visit = JSON(try log.send("visit.record", ["visitor": ["name": "v"]]).id)
    try log.send("badge.add", ["number": "b"])
    try log.send("visitor.register", ["lastName": "w"])
    try log.send("badge.add", ["number": "c"])
    try log.send("badge.issue", ["visitor": ["name": "w"], "badge": ["name": "c"]])
    for command in CommandCatalogue.visitorlog.commands where command[field: "ifSequence"] != nil {
      var data: JSONObject = ["ifSequence": 999]
      for field in command.fields where field.isRequired {
        data[field.name] =
          switch field.name {
          case "visitor": ["name": "v"]
          case "badge": ["name": "b"]
          default: visit
          }
      }
      if command.verb == "visit.end" { data["visitor"] = ["name": "v"] }
      if command.verb == "badge.return" { data["visitor"] = ["name": "w"] }
      #expect(try log.refusal(String(command.verb), .object(data)).code == "changed-since", "\(command.type)")
    }
  }

  @Test func `a command takes exactly the fields that the catalogue lists`() throws {
    for command in CommandCatalogue.visitorlog.commands {
      var data: JSONObject = ["nonsense": 1]
      for field in command.fields { data[field.name] = .number(1.5) }
      let problem = try log.refusal(String(command.verb), .object(data))
      #expect(Set(problem.fields) == Set(command.fields.map(\.name)).union(["nonsense"]), "\(command.type)")
      let missing = try log.refusal(String(command.verb), [:])
      let required: [String] =
        switch command.verb {
        case "visitor.register": ["firstName", "lastName"]
        case "visit.end": ["visit"]
        case "badge.return": ["badge"]
        default: command.fields.filter(\.isRequired).map(\.name)
        }
      #expect(missing.fields == required, "\(command.type)")
    }
  }

  @Test func `a command sent again gets its first answer and does nothing`() throws {
    let id = MessageID.next()
    let first = try log.owner.send("visitorlog.visitor.register.v1", ["lastName": "Hopper"], id: id)
    let again = try log.owner.send("visitorlog.visitor.register.v1", ["lastName": "Hopper"], id: id)
    #expect(again.isRepeat)
    #expect(again.events == [])
    #expect(again.decision.answer.bytes == first.decision.answer.bytes)
    #expect(try log.rows("SELECT count(*) FROM visitor") == ["1"])
  }

  @Test(arguments: [
    #"{"lastName":"a","lastName":"b"}"#, #"{"lastName":"a",}"#, #"{"lastName":"a\u0000"}"#, #"["lastName"]"#, "",
  ])
  func `data that is not the JSON asked for is malformed`(text: String) throws {
    #expect(try log.owner.send("visitorlog.visitor.register.v1", bytes: Array(text.utf8)).code == "malformed")
    #expect(try log.rows("SELECT count(*) FROM visitor") == ["0"])
  }

  @Test(arguments: ["👩‍👩‍👧‍👦", "שלום עולם", "e\u{301}\u{323}", "مرحبا 123", "한국어"])
  func `any script is kept as it is, in NFC`(name: String) throws {
    let done = try log.send("visitor.register", ["firstName": .string(name)])
    let stored = try #require(done.data[0]["firstName"]?.string)
    #expect(Array(stored.utf8) == Array(Text.normalized(name).utf8))
    #expect(try log.rows("SELECT first_name FROM visitor").map { Array($0.utf8) } == [Array(stored.utf8)])
  }
}
