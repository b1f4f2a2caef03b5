import Messaging
import Synchronization

/// Who waits for the decision on which command. A waiter is there before its command is produced, and takes only a
/// decision on the same service, workspace, id and content: of two commands under one id each gets its own answer.
final class Waiters: Sendable {
  /// How a wait ends.
  enum Outcome: Sendable {
    case decided(Decision)
    /// The command was surely not handed over.
    case notAppended(String)
    /// Handed over, but not decided within the wait.
    case undecided
  }

  /// What the envelope of a decision tells without its data.
  struct Key: Hashable, Sendable {
    let service: String
    let workspace: String
    let command: MessageID
  }

  private struct State {
    var waiting: [Key: [Waiter]] = [:]
    /// Since when a command is not decided, whether anybody still waits for it or not.
    var undecided: [Key: ContinuousClock.Instant] = [:]
    /// When deadlines are looked through next.
    var wakesAt: ContinuousClock.Instant?
    var isClosed = false
  }
  private let state = Mutex(State())

  /// Of more commands than this the gateway does not remember that they are not decided.
  private static let mostUndecided = 10_000

  /// How many commands were handed over longer ago than `age` and are not decided, by service.
  func undecided(for age: Duration) -> [String: Int] {
    let before = ContinuousClock.now - age
    return state.withLock { state in
      state.undecided.reduce(into: [:]) { counts, one in
        if one.value < before { counts[one.key.service, default: 0] += 1 }
      }
    }
  }

  /// The number of clients that wait.
  var count: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  /// Registers, before the command is produced.
  func register(_ key: Key, content: String, wait: Duration) -> Waiter {
    let waiter = Waiter(key, content: content, deadline: .now + wait)
    let (isClosed, isFirst) = state.withLock { state in
      state.waiting[key, default: []].append(waiter)
      if state.undecided[key] == nil, state.undecided.count < Self.mostUndecided { state.undecided[key] = .now }
      return (state.isClosed, Self.wake(&state, waiter.deadline))
    }
    if isFirst { look(at: waiter.deadline) }
    if isClosed { end(waiter, .undecided) }
    return waiter
  }

  /// The command does not count as undecided any more: it is decided, or may not be in the log.
  func settle(_ key: Key) { state.withLock { $0.undecided[key] = nil } }

  /// Whether anybody waits for a decision on that command, whatever its content.
  func wants(_ key: Key) -> Bool { state.withLock { $0.waiting[key] != nil } }

  /// Hands a valid decision to those who wait for it.
  func decided(_ key: Key, _ decision: Decision) {
    let waiters = state.withLock { $0.waiting[key] ?? [] }
    for waiter in waiters where waiter.content == decision.content { end(waiter, .decided(decision)) }
  }

  /// Ends one wait; the first end counts.
  func end(_ waiter: Waiter, _ outcome: Outcome) {
    state.withLock { state in
      state.waiting[waiter.key]?.removeAll { $0 === waiter }
      if state.waiting[waiter.key]?.isEmpty == true { state.waiting[waiter.key] = nil }
    }
    waiter.end(outcome)
  }

  /// From here on nobody waits.
  func close() {
    let all = state.withLock { state in
      state.isClosed = true
      return state.waiting.values.flatMap(\.self)
    }
    for waiter in all { end(waiter, .undecided) }
  }

  // One sleeping task for all deadlines, and none while nobody waits.

  private static func wake(_ state: inout State, _ deadline: ContinuousClock.Instant) -> Bool {
    guard deadline < state.wakesAt ?? deadline + .seconds(1) else { return false }
    state.wakesAt = deadline
    return true
  }

  private func look(at moment: ContinuousClock.Instant) {
    Task.detached { [weak self] in
      try? await Task.sleep(until: moment)
      self?.expire(moment)
    }
  }

  private func expire(_ moment: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let (due, next) = state.withLock { state -> ([Waiter], ContinuousClock.Instant?) in
      // An earlier look took over: it sees to the rest.
      guard state.wakesAt == moment else { return ([], nil) }
      let all = state.waiting.values.lazy.flatMap(\.self)
      state.wakesAt = all.filter { $0.deadline > now }.map(\.deadline).min()
      return (all.filter { $0.deadline <= now }, state.wakesAt)
    }
    for waiter in due { end(waiter, .undecided) }
    if let next { look(at: next) }
  }
}

/// One client's wait.
final class Waiter: Sendable {
  let key: Waiters.Key
  let content: String
  let deadline: ContinuousClock.Instant

  private struct State {
    var outcome: Waiters.Outcome?
    var continuation: CheckedContinuation<Waiters.Outcome, Never>?
  }
  private let state = Mutex(State())

  init(_ key: Waiters.Key, content: String, deadline: ContinuousClock.Instant) {
    self.key = key
    self.content = content
    self.deadline = deadline
  }

  /// Returns once it was ended.
  func outcome() async -> Waiters.Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.continuation = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  fileprivate func end(_ outcome: Waiters.Outcome) {
    let continuation = state.withLock { state -> CheckedContinuation<Waiters.Outcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: outcome)
  }
}
