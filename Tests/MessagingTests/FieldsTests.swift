import Messaging
import Testing

struct FieldsTests {
  @Test(arguments: Array(0..<0xa1) as [UInt32])
  func `a name takes no control character, a note only new line and tab`(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let isControl = scalar.properties.generalCategory == .control
    let text = JSON.string("a\(Character(scalar))b")
    #expect(isRefused(Fields.name(text)) == isControl)
    #expect(isRefused(Fields.note(text)) == (isControl && value != 9 && value != 10))
  }

  @Test func `every field that is wrong or unknown is named at once, an unknown one with its nearest`() {
    var fields = Fields(["title": 1, "dueon": "x", "id": "x"])
    _ = fields.required("title", Fields.name, else: "")
    _ = fields.required("item", Fields.reference, else: .name(""))
    _ = fields.optional("dueOn", Fields.day)
    _ = fields.optional("id", Fields.id)
    let problem = #expect(throws: Problem.self) { try fields.finish() }
    #expect(problem?.errors.map(\.field) == ["title", "item", "id", "dueon"])
    #expect(problem?.errors.last?.message == "is not a field of this command; did you mean dueOn?")
  }

  @Test(
    arguments: [
      (["name": "a"], true), (["name": ""], false), (["id": "a"], false), (["name": "a", "id": "b"], false),
      ("a", false),
      ("01900000-0000-7000-8000-000000000001", true), (1, false), ([], false),
    ] as [(JSON, Bool)])
  func `a reference is a UUID or a name`(json: JSON, isTaken: Bool) {
    #expect(isRefused(Fields.reference(json)) == !isTaken)
  }

  private func isRefused<V>(_ result: Result<V, Fields.Wrong>) -> Bool {
    if case .failure = result { true } else { false }
  }
}
