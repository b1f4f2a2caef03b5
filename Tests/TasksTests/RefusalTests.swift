import Contracts
import Messaging
import TasksService
import TestSupport
import Testing

/// What every command of the service has in common.
struct RefusalTests {
  let tasks: TasksTester
  init() throws { tasks = try TasksTester() }

  @Test(arguments: [
    "", "   ", "\n\t", String(repeating: "a", count: 201), "e" + String(repeating: "\u{327}\u{301}", count: 150),
    "a\u{1}b",
    "a\nb", "a\u{7f}b", "a\u{85}b", "\u{200b}", " \u{2060}\u{ad}", "\u{3000}",
  ])
  func `a title that is blank, too long or holds control characters is refused`(title: String) throws {
    let problem = try tasks.refusal("item.add", ["title": .string(title)])
    #expect(problem.code == "invalid")
    #expect(problem.status == 422)
    #expect(problem.fields == ["title"])
  }

  @Test func `a note may hold lines but has its limit`() throws {
    try tasks.send("item.add", ["title": "a", "note": .string(String(repeating: "x\n", count: 5000))])
    let problem = try tasks.refusal("item.add", ["title": "a", "note": .string(String(repeating: "x", count: 10_001))])
    #expect(problem.fields == ["note"])
    #expect(try tasks.refusal("item.add", ["title": "a", "note": "\u{1}"]).fields == ["note"])
  }

  @Test func `an unknown field is refused by name, with the nearest`() throws {
    let problem = try tasks.refusal("item.add", ["title": "a", "dueon": "2026-05-25"])
    #expect(problem.fields == ["dueon"])
    #expect(problem.detail == "dueon: is not a field of this command; did you mean dueOn?")
  }

  @Test func `an unknown command is refused with the nearest`() throws {
    let problem = try tasks.refusal("item.ad", [:])
    #expect(problem.fields == ["type"])
    #expect(problem.detail.contains("did you mean tasks.item.add.v1?"))
  }

  @Test func `an id that is no UUID, of another kind, or of another workspace`() throws {
    let tag = try tasks.send("tag.create", ["name": "t"]).id
    let item = try tasks.send("item.add", ["title": "a"], in: "other").id
    #expect(try tasks.refusal("item.complete", ["item": "12"]).fields == ["item"])
    #expect(try tasks.refusal("item.complete", ["item": JSON(tag)]).code == "not-found")
    #expect(try tasks.refusal("item.complete", ["item": JSON(item)]).code == "not-found")
    #expect(try tasks.refusal("item.complete", ["item": ["name": "a"]]).code == "not-found")
  }

  @Test func `an id is taken when anything that lives in the workspace holds it`() throws {
    let id = MessageID.next()
    let data: JSON = ["title": "a", "id": JSON(id)]
    try tasks.send("item.add", data)
    try tasks.send("item.add", data, in: "other")
    #expect(try tasks.rows("SELECT workspace FROM item ORDER BY 1") == ["main", "other"])
    for (verb, field) in [("item.add", "title"), ("tag.create", "name"), ("project.create", "name")] {
      let problem = try tasks.refusal(verb, [field: "b", "id": JSON(id)])
      #expect(problem.code == "id-taken")
      #expect(problem.status == 409)
      #expect(problem.json["existing"] == JSON(id))
    }
    try tasks.send("item.delete", ["item": JSON(id)])
    try tasks.send("tag.create", ["name": "b", "id": JSON(id)])
  }

  @Test func `of two edits with one sequence the second is refused`() throws {
    let item = try tasks.send("item.add", ["title": "a", "tags": ["t"]])
    // tag.created 1, item.added 2, tag.assigned 3
    try tasks.send("item.edit", ["item": JSON(item.id), "title": "b", "ifSequence": 3])
    let problem = try tasks.refusal("item.edit", ["item": JSON(item.id), "title": "c", "ifSequence": 3])
    #expect(problem.code == "changed-since")
    #expect(problem.json["sequence"] == 5)
    #expect(try tasks.rows("SELECT title FROM item") == ["b"])
  }

  @Test func `every edit and delete takes a sequence`() throws {
    let item = try tasks.send("item.add", ["title": "a", "tags": ["t"]]).id
    try tasks.send("project.create", ["name": "p"])
    for command in CommandCatalogue.tasks.commands where command[field: "ifSequence"] != nil {
      var data: JSONObject = ["ifSequence": 999]
      for field in command.fields where field.isRequired {
        data[field.name] =
          switch field.kind {
          case .reference("item"): JSON(item)
          case .reference("project"): ["name": "p"]
          case .reference("tag"): ["name": "t"]
          default: "x"
          }
      }
      #expect(try tasks.refusal(String(command.verb), .object(data)).code == "changed-since", "\(command.type)")
    }
  }

  @Test func `a title that several items have is ambiguous, and the candidates tell them apart`() throws {
    try tasks.send("project.create", ["name": "P"])
    var ids: [JSON] = []
    for n in 0..<25 {
      ids.append(JSON(try tasks.send("item.add", ["title": "Milk", "project": n == 0 ? ["name": "P"] : nil]).id))
    }
    let problem = try tasks.refusal("item.complete", ["item": ["name": "milk"]])
    #expect(problem.code == "ambiguous")
    #expect(problem.status == 409)
    #expect(problem.json["count"] == 25)
    let candidates = try #require(problem.json["candidates"]?.array)
    #expect(candidates.map { $0["id"] } == ids.prefix(20).map(Optional.some))
    #expect(candidates[0]["project"]?["name"] == "P")
    #expect(try tasks.rows("SELECT count(*) FROM item WHERE completed_at IS NOT NULL") == ["0"])
  }

  @Test func `what is refused for several fields names them all`() throws {
    let problem = try tasks.refusal("item.add", ["title": "", "dueOn": "soon", "tags": [""], "x": 1])
    #expect(problem.fields == ["title", "tags", "dueOn", "x"])
  }

  @Test func `a command takes exactly the fields that the catalogue lists`() throws {
    for command in CommandCatalogue.tasks.commands {
      var data: JSONObject = ["nonsense": 1]
      for field in command.fields { data[field.name] = .number(1.5) }
      let problem = try tasks.refusal(String(command.verb), .object(data))
      #expect(
        Set(problem.fields) == Set(command.fields.map(\.name)).union(["nonsense"]), "\(command.type)")
      let missing = try tasks.refusal(String(command.verb), [:])
      #expect(
        missing.fields == command.fields.filter(\.isRequired).map(\.name), "\(command.type)")
    }
  }
}
