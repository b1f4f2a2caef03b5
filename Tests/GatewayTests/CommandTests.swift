import EventLog
@testable import GatewayService
import HTTP
import Messaging
import ServiceKit
import TestSupport
import Testing

private let add = #"{"type":"tasks.tag.create.v1","data":{"name":"urgent"}}"#
private let id = "0197f0c0-0000-7000-8000-000000000001"

@Suite(.timeLimit(.minutes(1))) struct CommandTests {
  @Test func `an accepted decision is answered byte for byte`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add)
    let answer = try await owner.decide(
      owner.command(), ["status": "accepted", "receipt": "tasks/1/7", "z": 1, "a": "ł"])
    #expect(await response.status == 200)
    #expect(await response.bytes == answer)
    #expect(await response.header("content-type") == "application/json")
    #expect(await response.header("daybook-repeat") == nil)
    try await world.stop()
  }

  @Test func `a refusal is answered as a problem with its own status`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add)
    var problem = Problem.conflict("tag-name-taken", "Taken.", ["existing": "x"]).json
    problem["receipt"] = "tasks/1/8"
    let answer = try await owner.decide(owner.command(), .object(problem))
    #expect(await response.status == 409)
    #expect(await response.bytes == answer)
    #expect(await response.header("content-type") == "application/problem+json")
    try await world.stop()
  }

  @Test func `a repeat says so in a header`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add, headers: ["idempotency-key": id])
    try await owner.decide(owner.command(), isRepeat: true)
    #expect(await response.header("daybook-repeat") == "true")
    try await world.stop()
  }

  @Test func `a command is produced under its workspace, with who asked and what for`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log, service: "library", workspace: "home")
    async let response = world.post(
      #"{"type":"library.book.add.v1","data":{"title":"Dune"},"workspace":"home","actor":"ada","id":"\#(id)"}"#,
      headers: ["x-correlation-id": "c-1"])
    let command = try await owner.command()
    #expect(command.id == MessageID(id))
    #expect(command.type == "library.book.add.v1")
    #expect(command.workspace == "home")
    #expect(command.actor == "ada")
    #expect(command.correlationID == "c-1")
    #expect(command.data == Array(#"{"title":"Dune"}"#.utf8))
    try await owner.decide(command)
    #expect(await response.status == 200)
    try await world.stop()
  }

  @Test func `two contents under one id each get their own answer`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let first = world.post(#"{"type":"tasks.tag.create.v1","data":{"name":"a"},"id":"\#(id)"}"#)
    let one = try await owner.command()
    async let second = world.post(#"{"type":"tasks.tag.create.v1","data":{"name":"b"},"id":"\#(id)"}"#)
    let other = try await owner.command()
    let refusal = try await owner.decide(
      other, .object(Problem.conflict("command-id-reused", "Used.").json))
    let accepted = try await owner.decide(one)
    #expect(await second.bytes == refusal)
    #expect(await first.bytes == accepted)
    try await world.stop()
  }

  @Test func `the order of members does not make another content`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(#"{"data":{"b":1,"a":[{"d":2,"c":3}]},"type":"tasks.x.y.v1"}"#)
    let command = try await owner.command()
    let content = Command.contentHash(
      type: "tasks.x.y.v1", workspace: "main", canonicalData: Array(#"{"a":[{"c":3,"d":2}],"b":1}"#.utf8))
    try await owner.decide(command, content: content)
    #expect(await response.status == 200)
    try await world.stop()
  }

  @Test func `what a fenced owner still writes is told to nobody`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add)
    let command = try await owner.command()
    try await owner.claim(2)
    try await owner.decide(command, ["status": "accepted", "void": true], epoch: 1)
    let answer = try await owner.decide(command, epoch: 2)
    #expect(await response.bytes == answer)
    try await world.stop()
  }

  @Test func `a command that is not decided within the wait is answered 202, and can be asked for`() async throws {
    let world = try await GatewayWorld.start()
    for (query, headers) in [([("wait", "0")], [:]), ([], ["prefer": "respond-async, wait=0"])]
      as [(
        [(name: String, value: String)], [String: String]
      )]
    {
      let response = await world.post(
        #"{"type":"tasks.x.y.v1","data":{},"id":"\#(id)","workspace":"home"}"#, headers: headers, query: query)
      #expect(response.status == 202)
      #expect(response.json["status"] == "undecided")
      #expect(response.json["command"] == .string(id))
      #expect(response.header("location") == "/v1/commands/\(id)?workspace=home")
    }
    var options = GatewayService.Options()
    options.wait = .milliseconds(30)
    let impatient = try await GatewayWorld.start(options: options)
    #expect(await impatient.post(add).status == 202)
    try await impatient.stop()
    try await world.stop()
  }

  @Test func `a stop answers those who wait 202, not 503`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add)
    _ = try await owner.command()
    try await world.stop()
    #expect(await response.status == 202)
  }

  @Test func `a cancelled request is answered 202 at once`() async throws {
    let world = try await GatewayWorld.start()
    let owner = try await FakeOwner(world.log)
    let task = Task { await world.post(add) }
    _ = try await owner.command()
    task.cancel()
    #expect(await task.value.status == 202)
    try await world.stop()
  }

  @Test func `503 is only for what was surely not handed over`() async throws {
    for (error, status) in [
      (LogError.notAppended("the broker is away"), 503), (.unknownTopic("x"), 503), (.uncertain("lost"), 202),
      (.failed("full"), 202),
    ] {
      var options = GatewayService.Options()
      options.wait = .milliseconds(30)
      let world = try await GatewayWorld.start(
        options: options,
        wrap: { real in
          AppendingLog(real) { _, _, _ throws(LogError) in throw error }
        })
      let response = await world.post(#"{"type":"tasks.x.y.v1","data":{},"id":"\#(id)"}"#)
      #expect(response.status == status, "\(error)")
      #expect(response.json["command"] == .string(id))
      if status == 503 { #expect(response.code == "unavailable") }
      // What may not be in the log is not waited for for good.
      #expect(world.gateway.waiters.undecided(for: .zero).isEmpty, "\(error)")
      try await world.stop()
    }
  }

  @Test func `an append that hangs is answered 202, and goes on`() async throws {
    let gate = Gate()
    var options = GatewayService.Options()
    options.wait = .milliseconds(30)
    let world = try await GatewayWorld.start(
      options: options,
      wrap: { real in
        AppendingLog(real) { records, partition, real throws(LogError) in
          await gate.wait()
          return try await real.append(records, to: partition)
        }
      })
    let owner = try await FakeOwner(world.log)
    #expect(await world.post(#"{"type":"tasks.x.y.v1","data":{},"id":"\#(id)"}"#).status == 202)
    gate.open()
    #expect(try await owner.command().id == MessageID(id))
    try await world.stop()
  }

  @Test func `a decision that comes before the append is confirmed is not missed`() async throws {
    let decided = Gate()
    let world = try await GatewayWorld.start(wrap: { real in
      AppendingLog(real) { records, partition, real throws(LogError) in
        let offsets = try await real.append(records, to: partition)
        await decided.wait()
        return offsets
      }
    })
    let owner = try await FakeOwner(world.log)
    async let response = world.post(add)
    try await owner.decide(owner.command())
    #expect(await response.status == 200)
    decided.open()
    try await world.stop()
  }
}

/// A log whose shared appends do what a test says.
final class AppendingLog: EventLog {
  typealias Append =
    @Sendable (_ records: [NewRecord], _ partition: TopicPartition, _ real: any EventLog) async throws(LogError) ->
    [Int64]
  private let real: any EventLog
  private let appending: Append

  init(_ real: any EventLog, append: @escaping Append) {
    self.real = real
    appending = append
  }

  var id: String { real.id }
  func create(_ topics: [String], partitions: Int) async throws(LogError) {
    try await real.create(topics, partitions: partitions)
  }
  func partitions(of topic: String) async throws(LogError) -> Int? { try await real.partitions(of: topic) }
  func append(_ records: [NewRecord], to partition: TopicPartition) async throws(LogError) -> [Int64] {
    try await appending(records, partition, real)
  }
  func writer(to partition: TopicPartition) async throws(LogError) -> any LogWriter {
    try await real.writer(to: partition)
  }
  func reader(of partition: TopicPartition, from offset: Int64) async throws(LogError) -> any LogReader {
    try await real.reader(of: partition, from: offset)
  }
  func bounds(of partition: TopicPartition) async throws(LogError) -> Range<Int64> {
    try await real.bounds(of: partition)
  }
  func offset(of partition: TopicPartition, at time: Timestamp) async throws(LogError) -> Int64 {
    try await real.offset(of: partition, at: time)
  }
  func offset(of partition: TopicPartition, sequence: Int64) async throws(LogError) -> Int64? {
    try await real.offset(of: partition, sequence: sequence)
  }
  func close() async { await real.close() }
}
