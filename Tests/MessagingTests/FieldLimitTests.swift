import Messaging
import Testing

struct FieldLimitTests {
  private func message<V>(_ result: Result<V, Fields.Wrong>) -> String? {
    if case .failure(let wrong) = result { wrong.message } else { nil }
  }

  @Test(arguments: [
    ("", "must not be blank"), (" \t\n ", "must not be blank"), ("\u{a0}\u{2003}", "must not be blank"),
    (String(repeating: "a", count: 201), "must have at most 200 characters, not 201"),
    ("e" + String(repeating: "\u{301}", count: 300), "must have at most 200 characters, not 300"),
    ("a\u{1}b", "must not hold control characters"), ("a\0b", "must not hold control characters"),
    ("a\nb", "must not hold control characters"),
  ])
  func `a name that is refused says why`(text: String, why: String) {
    #expect(message(Fields.name(.string(text))) == why)
  }

  @Test func `limits count Unicode scalars, behind normalising and trimming`() throws {
    let most = String(repeating: "😀", count: 200)
    #expect(try Fields.name(.string("  \(most)\n")).get() == most)
    // Two hundred decomposed letters are two hundred once composed.
    let decomposed = String(repeating: "e\u{301}", count: 200)
    #expect(try Fields.name(.string(decomposed)).get().unicodeScalars.count == 200)
    #expect(try Fields.note(.string(String(repeating: "a", count: 10_000))).get().count == 10_000)
    #expect(message(Fields.note(.string(String(repeating: "a", count: 10_001)))) != nil)
    #expect(try Fields.note(.string("a\n\tb")).get() == "a\n\tb")
    #expect(try Fields.line(.string("  ")).get() == "")
  }

  @Test(arguments: ["👩‍👩‍👧‍👦", "שלום עולם", "q\u{0307}\u{0323}", "Zoë — ‘x’", "ﷺ"])
  func `emoji, right-to-left text and combining marks come back byte for byte in NFC`(text: String) throws {
    let stored = try Fields.name(.string(text)).get()
    #expect(stored == text)
    #expect(try Fields.name(.string(stored)).get().utf8.elementsEqual(stored.utf8))
  }

  @Test func `absent keeps, null clears, a value sets`() throws {
    var fields = Fields(["cleared": nil, "set": "x"])
    let kept = fields.change("kept", Fields.note)
    let cleared = fields.change("cleared", Fields.note)
    let set = fields.change("set", Fields.note)
    try fields.finish()
    guard case .keep = kept, case .clear = cleared, case .set("x") = set else {
      Issue.record("\(kept), \(cleared), \(set)")
      return
    }
  }

  @Test func `what cannot be cleared says so`() {
    var fields = Fields(["title": nil, "other": "x"])
    #expect(fields.changeRequired("title", Fields.name) == nil)
    #expect(fields.changeRequired("other", Fields.name) == "x")
    #expect(fields.changeRequired("absent", Fields.name) == nil)
    let problem = #expect(throws: Problem.self) { try fields.finish() }
    #expect(problem?.errors == [.init(field: "title", message: "cannot be cleared")])
    #expect(problem?.status == 422 && problem?.code == "invalid")
  }

  @Test func `a null counts as absent where nothing is to be kept`() throws {
    var fields = Fields(["a": nil, "b": nil])
    #expect(fields.optional("a", Fields.integer) == nil)
    #expect(fields.required("b", Fields.integer, else: -1) == -1)
    let problem = #expect(throws: Problem.self) { try fields.finish() }
    #expect(problem?.errors == [.init(field: "b", message: "is required")])
  }

  @Test(
    arguments: [
      (["tags": ["a", "b"]], nil), (["tags": []], nil), (["tags": "a"], "must be a list"),
      (["tags": ["a", 1]], "has an entry that must be a text"),
      (["tags": ["a", ""]], "has an entry that must not be blank"),
      (["tags": ["a", "b", "c", "d"]], "must have at most 3 entries"),
    ] as [(JSONObject, String?)])
  func `lists are read entry by entry`(object: JSONObject, why: String?) {
    var fields = Fields(object, prefix: "item.")
    _ = fields.optional("tags", Fields.list(Fields.name, limit: 3))
    #expect(fields.errors.first?.message == why)
    #expect(fields.errors.first.map { $0.field == "item.tags" } ?? true)
  }

  @Test(arguments: [1, "true", nil, []] as [JSON])
  func `a truth value is no number, no text, no list`(json: JSON) {
    #expect(message(Fields.bool(json)) == "must be true or false")
  }

  @Test func `numbers, ids, days and times are strict`() throws {
    #expect(message(Fields.integer(.number(1.5))) == "must be a whole number")
    #expect(message(Fields.integer("1")) == "must be a whole number")
    #expect(try Fields.integer(-3).get() == -3)
    #expect(message(Fields.id("nothing")) == "must be a UUID")
    #expect(message(Fields.day("2026-02-30")) == "must be a date, YYYY-MM-DD")
    #expect(message(Fields.time("yesterday")) == "must be a time, such as 2026-05-25T08:30:00Z")
    #expect(try Fields.time("2026-05-25T08:30:00+02:00").get().description == "2026-05-25T06:30:00.000Z")
  }
}
