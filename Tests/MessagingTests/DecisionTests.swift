import Messaging
import Testing

struct DecisionTests {
  let id = MessageID.next()

  @Test func `a decision comes back from its data`() throws {
    let decision = Decision(
      command: id, commandType: "tasks.tag.create.v1", workspace: "main", content: String(repeating: "a", count: 64),
      offset: 7, isRepeat: true, eventCount: 0, answer: ["status": "accepted", "receipt": "tasks/3/1"])
    #expect(Decision(decision.json) == decision)
    #expect(try Decision(JSON(parsing: decision.json.bytes)) == decision)
    #expect(decision.isAccepted && decision.httpStatus == 200)
  }

  @Test func `a refusal has its problem's status`() {
    let problem = Problem.conflict("tag-name-taken", "There is a tag urgent.", ["existing": JSON(id)])
    let decision = Decision(
      command: id, commandType: "t", workspace: "main", content: "", offset: 0, isRepeat: false, eventCount: 0,
      answer: .object(problem.json))
    #expect(!decision.isAccepted && decision.httpStatus == 409)
    #expect(decision.answer["existing"]?.string == id.description)
    #expect(
      decision.answer.text
        == #"{"type":"urn:daybook:problem:tag-name-taken","title":"Tag name taken","status":409,"detail":"There is a tag urgent.","code":"tag-name-taken","errors":[],"existing":"\#(id)"}"#
    )
  }

  @Test(arguments: [nil, [], "x", ["command": "x"]] as [JSON])
  func `data of another kind is no decision`(json: JSON) { #expect(Decision(json) == nil) }

  @Test func `content is told apart by type, workspace and data, and not by where one ends and the next begins`() {
    func hash(_ type: String, _ workspace: String, _ data: String) -> String {
      Command.contentHash(type: type, workspace: workspace, canonicalData: Array(data.utf8))
    }
    let hashes = [
      hash("a", "b", "{}"), hash("ab", "", "{}"), hash("", "ab", "{}"), hash("a", "b{", "}"), hash("a", "b", "{ }"),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hash("a", "b", "{}") == hashes[0])
    #expect(hashes[0].count == 64)
  }

  @Test(arguments: ["tasks/3/42", "library/0/0"])
  func `a receipt comes back from its text`(text: String) { #expect(Receipt(text)?.description == text) }

  @Test(arguments: [
    "", "tasks", "tasks/3", "tasks/3/", "/3/4", "tasks/-1/4", "tasks/3/-4", "tasks/3/4/5", "tasks/+3/4", "tasks/03/4",
    "tasks/3/4 ", "tasks/x/4", "tasks/3/99999999999999999999",
  ])
  func `anything else is no receipt`(text: String) { #expect(Receipt(text) == nil) }
}
