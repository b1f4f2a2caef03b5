import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite struct OwnerDecidingTests {
  let tester: DomainTester<NamesDomain>
  init() throws { tester = try DomainTester<NamesDomain>() }

  @Test func `a command makes its events, then one decision, with sequences without a gap`() throws {
    let answer = try tester.send("names.name.add.v1", ["name": "a", "touches": 2], actor: "ann")
    #expect(answer.isAccepted)
    #expect(answer.types == ["names.name.added.v1", "names.name.touched.v1", "names.name.touched.v1"])
    #expect(answer.messages.map(\.sequence) == [1, 2, 3, 4])
    #expect(answer.messages.allSatisfy { $0.causationID == answer.decision.command && $0.actor == "ann" })
    #expect(answer.decision.eventCount == 3)
    #expect(answer.decision.answer["receipt"] == "names/0/4")
    #expect(try tester.rows("SELECT workspace, name, touched, sequence FROM name") == [["main", "a", "2", "3"]])
    #expect(try tester.foldDifference() == nil)
  }

  @Test func `a repeat gets the first answer byte for byte and changes nothing`() throws {
    let id = MessageID.next()
    let first = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    try tester.send("names.name.remove.v1", ["name": "a"])
    let again = try tester.send("names.name.add.v1", ["name": "a"], id: id, actor: "somebody else")
    #expect(again.isRepeat && again.isAccepted)
    #expect(again.decision.answer.bytes == first.decision.answer.bytes)
    #expect(again.events.isEmpty)
    #expect(try tester.rows("SELECT * FROM name").isEmpty)
    #expect(try tester.foldDifference() == nil)
  }

  @Test func `a refusal is for good under its command id`() throws {
    let id = MessageID.next()
    try tester.send("names.name.add.v1", ["name": "a"])
    let refused = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    #expect(refused.code == "name-taken")
    try tester.send("names.name.remove.v1", ["name": "a"])
    let again = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    #expect(again.isRepeat && again.decision.answer == refused.decision.answer)
    #expect(try tester.foldDifference() == nil)
  }

  @Test(arguments: [#"{"name":"b"}"#, #"{"name":"a","touches":1}"#, "{", "[]"])
  func `a command id with another content is refused, and the first answer stays`(other: String) throws {
    let id = MessageID.next()
    let first = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    #expect(try tester.send("names.name.add.v1", bytes: Array(other.utf8), id: id).code == "command-id-reused")
    #expect(try tester.send("names.name.add.v1", ["name": "a"], id: id).decision.answer == first.decision.answer)
    #expect(try tester.rows("SELECT name FROM name") == [["a"]])
    #expect(try tester.foldDifference() == nil)
  }

  @Test func `the order of members and white space do not make another content`() throws {
    let id = MessageID.next()
    try tester.send("names.name.add.v1", ["name": "a", "touches": 1], id: id)
    let again = try tester.send("names.name.add.v1", bytes: Array(#" {"touches" : 1, "name":"\u0061"} "#.utf8), id: id)
    #expect(again.isRepeat)
  }

  @Test func `one command id in two workspaces is two commands`() throws {
    let id = MessageID.next()
    #expect(try tester.send("names.name.add.v1", ["name": "a"], id: id).isAccepted)
    let other = try tester.send("names.name.add.v1", ["name": "a"], id: id, workspace: "other")
    #expect(other.isAccepted && !other.isRepeat)
  }

  @Test func `one name made and removed and made again is accepted each time`() throws {
    for type in ["add", "remove", "add", "remove", "add"] {
      #expect(try tester.send("names.name.\(type).v1", ["name": "a"]).isAccepted)
    }
    #expect(try tester.foldDifference() == nil)
  }

  @Test(arguments: [
    (#"{"name":"a","name":"b"}"#, "malformed"), (#"{"name":"a",}"#, "malformed"), ("", "malformed"),
    ("\u{feff}{}", "malformed"), (#"{"name":"\u0000"}"#, "malformed"), ("[]", "malformed"), ("7", "malformed"),
    (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "malformed"),
    (#"{"name":"a","colour":"red"}"#, "invalid"), (#"{"name":" "}"#, "invalid"), ("{}", "invalid"),
  ])
  func `data that is not the strict JSON asked for is refused`(data: String, code: String) throws {
    let answer = try tester.send("names.name.add.v1", bytes: Array(data.utf8))
    #expect(answer.code == code)
    #expect(try tester.send("names.name.add.v1", ["name": "a"]).isAccepted)
    #expect(try tester.foldDifference() == nil)
  }

  @Test func `UTF-16 is malformed and a quarter of a mebibyte is too large`() throws {
    let utf16 = Array(#"{"name":"a"}"#.utf16).flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    #expect(try tester.send("names.name.add.v1", bytes: utf16).code == "malformed")
    let large = try tester.send("names.name.add.v1", ["name": .string(String(repeating: "a", count: 300 * 1024))])
    #expect(large.code == "too-large" && large.decision.httpStatus == 413)
  }

  @Test func `an event is never before its predecessor, though the clock goes back an hour`() throws {
    let start = tester.now
    try tester.send("names.name.add.v1", ["name": "a"])
    tester.now.milliseconds -= 3_600_000
    let later = try tester.send("names.name.add.v1", ["name": "b"])
    #expect(later.isAccepted)
    #expect(later.messages.allSatisfy { $0.time == start })
    tester.now.milliseconds = start.milliseconds + 5
    #expect(
      try tester.send("names.name.add.v1", ["name": "c"]).messages.last?.time.milliseconds == start.milliseconds + 5)
    #expect(Set(tester.log.compactMap { try? Message($0).id }).count == tester.log.count)
  }

  @Test func `an owner that is started again goes on where it was`() throws {
    let id = MessageID.next()
    let first = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    try tester.restart()
    let again = try tester.send("names.name.add.v1", ["name": "a"], id: id)
    #expect(again.isRepeat && again.decision.answer == first.decision.answer)
    #expect(again.messages.map(\.sequence) == [3])
    #expect(again.messages.map(\.epoch) == [2])
    #expect(try tester.foldDifference() == nil)
  }
}
