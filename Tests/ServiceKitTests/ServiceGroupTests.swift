import Glibc
import ServiceKit
import Synchronization
import TestSupport
import Testing

/// Notes what it does.
private struct Noting: Service {
  let name: String
  let notes: Notes
  var failsPreparing = false
  var runs: @Sendable () async throws -> Void = { await untilCancelled() }

  func prepare() async throws {
    if failsPreparing { throw StartupError("\(name) cannot start") }
    notes.add("prepare \(name)")
  }
  func run() async throws {
    defer { notes.add("end \(name)") }
    try await runs()
  }
}

private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(1))) struct ServiceGroupTests {
  private let notes = Notes()

  @Test func `services start in order and stop in reverse, each awaited`() async throws {
    let group = ServiceGroup(
      ["a", "b", "c"].map { Noting(name: $0, notes: notes) }, logger: .silent, signals: false)
    let started = Gate()
    let task = Task { try await group.run { started.open() } }
    await started.wait()
    task.cancel()
    try await task.value
    #expect(notes.all == ["prepare a", "prepare b", "prepare c", "end c", "end b", "end a"])
  }

  @Test func `SIGQUIT stops a group as SIGTERM does`() async throws {
    let group = ServiceGroup([Noting(name: "a", notes: notes)], logger: .silent)
    try await group.run { kill(getpid(), SIGQUIT) }
    #expect(notes.all == ["prepare a", "end a"])
  }

  @Test func `a service that cannot start stops those before it, and is the group's error`() async {
    let services = [
      Noting(name: "a", notes: notes), Noting(name: "b", notes: notes, failsPreparing: true),
      Noting(name: "c", notes: notes),
    ]
    await #expect(throws: StartupError("b cannot start")) {
      try await ServiceGroup(services, logger: .silent, signals: false).run()
    }
    #expect(notes.all == ["prepare a", "end a"])
  }

  @Test func `a service that fails stops the others`() async {
    let services = [
      Noting(name: "a", notes: notes),
      Noting(name: "b", notes: notes) { throw StartupError("b broke") },
    ]
    await #expect(throws: StartupError("b broke")) {
      try await ServiceGroup(services, logger: .silent, signals: false).run()
    }
    #expect(notes.all.suffix(2) == ["end b", "end a"])
  }

  @Test func `a service that ends unasked has failed`() async {
    await #expect(throws: StartupError("a ended without being asked to")) {
      try await ServiceGroup([Noting(name: "a", notes: notes) {}], logger: .silent, signals: false).run()
    }
  }

  @Test func `what does not stop in time is left behind, and the others are not`() async throws {
    let gate = Gate()
    let services = [
      Noting(name: "a", notes: notes), Noting(name: "b", notes: notes) { await gate.wait() },
    ]
    let lines = LogLines()
    let started = Gate()
    let group = ServiceGroup(services, logger: lines.logger, signals: false, patience: .milliseconds(30))
    let task = Task { try await group.run { started.open() } }
    await started.wait()
    task.cancel()
    try await task.value
    try await lines.wait(for: "did not stop in time")
    gate.open()
  }
}
