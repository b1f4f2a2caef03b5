import EventLog
import Messaging
import Testing

struct EnvelopeTests {
  static let whole = Message(
    id: MessageID.next(), source: "/daybook/tasks", type: "tasks.item.added.v1", subject: "item/x",
    time: Timestamp(milliseconds: 1_779_697_800_123), workspace: "main", actor: "ada", correlationID: "any text",
    causationID: .next(), sequence: 42, epoch: 3, data: Array("{}".utf8))
  static let least = Message(
    id: MessageID.next(), source: "/x", type: "a.b.c.v1", time: Timestamp(milliseconds: 0), workspace: "", data: [])

  private func stored(_ new: NewRecord, time: Int64 = 5) -> Record {
    Record(offset: 0, time: Timestamp(milliseconds: time), key: new.key, headers: new.headers, value: new.value)
  }

  @Test(arguments: [whole, least])
  func `a message comes back from its record`(_ message: Message) throws {
    #expect(try Message(stored(message.record)) == message)
    #expect(message.record.sequence == message.sequence)
  }

  @Test func `headers are CloudEvents in Kafka's binary mode, readable as text`() {
    let headers = Self.whole.record.headers.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
    #expect(
      headers == [
        "ce_specversion=1.0", "ce_id=\(Self.whole.id)", "ce_source=/daybook/tasks", "ce_type=tasks.item.added.v1",
        "ce_subject=item/x", "ce_time=2026-05-25T08:30:00.123Z", "content-type=application/json", "ce_workspace=main",
        "ce_actor=ada", "ce_correlationid=any text", "ce_causationid=\(Self.whole.causationID?.description ?? "")",
        "ce_sequence=42", "ce_epoch=3",
      ])
    #expect(Self.whole.record.key == Array("main".utf8))
    #expect(Self.least.record.key == nil)
  }

  @Test func `the four headers that must be there and the key are enough; the rest has defaults`() throws {
    let id = MessageID.next()
    let new = NewRecord(
      key: Array("home".utf8),
      headers: [
        Header("ce_specversion", "1.0"), Header("ce_id", id.description.uppercased()), Header("ce_source", "kcat"),
        Header("ce_type", "tasks.item.add.v1"), Header("trace", [0xff]),
      ], value: nil)
    let message = try Message(stored(new, time: 77))
    #expect(
      message
        == Message(
          id: id, source: "kcat", type: "tasks.item.add.v1", time: Timestamp(milliseconds: 77), workspace: "home",
          data: []))
  }

  @Test(
    arguments: [
      ("ce_specversion", "0.3", "ce_specversion is not 1.0"), ("ce_specversion", nil, "ce_specversion is missing"),
      ("ce_id", "7", "ce_id is not a UUID"), ("ce_id", nil, "ce_id is missing"),
      ("ce_source", "", "ce_source is missing"),
      ("ce_type", nil, "ce_type is missing"), ("ce_time", "today", "ce_time is not an RFC 3339 time"),
      ("ce_sequence", "1.5", "ce_sequence is not a whole number"), ("ce_epoch", "x", "ce_epoch is not a whole number"),
      ("ce_causationid", "x", "ce_causationid is not a UUID"),
      ("content-type", "text/plain", "content-type is not application/json"),
    ] as [(String, String?, String)])
  func `a record that is no message says why`(name: String, value: String?, why: String) {
    var new = Self.whole.record
    new.headers.removeAll { $0.name == name }
    if let value { new.headers.append(Header(name, value)) }
    #expect(throws: EnvelopeError(why)) { try Message(stored(new)) }
  }

  @Test func `an attribute that is not UTF-8 says so`() {
    var new = Self.whole.record
    new.headers.append(Header("ce_actor", [0xff]))
    #expect(throws: EnvelopeError("ce_actor is not UTF-8")) { try Message(stored(new)) }
  }
}
