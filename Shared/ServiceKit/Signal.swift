import Synchronization

/// Tells one waiter that there is something to do. A signal that nobody waits for is kept, several count as one.
package final class Signal: Sendable {
  private enum State {
    case idle
    case fired
    case waiting(CheckedContinuation<Void, Never>)
  }
  private let state = Mutex(State.idle)

  package init() {}

  /// Wakes the waiter, or lets the next wait return at once.
  package func fire() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .waiting(let continuation) = state {
        state = .idle
        return continuation
      }
      state = .fired
      return nil
    }
    waiter?.resume()
  }

  /// Forgets a signal that nobody waited for.
  package func reset() {
    state.withLock { state in if case .fired = state { state = .idle } }
  }

  /// Returns once fired or once the task is cancelled. One waiter at a time. An actor waits on its own queue: the closure
  /// must name the isolation, or it would run on another thread, two hops away.
  package func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      _ = isolation
      await withCheckedContinuation { continuation in
        let isFired = state.withLock { state in
          if case .fired = state {
            state = .idle
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isFired { continuation.resume() }
      }
    } onCancel: {
      fire()
    }
  }

  /// Returns once the calling task is cancelled.
  package static func cancellation() async { await Signal().wait() }
}
