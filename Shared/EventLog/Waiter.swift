import Synchronization

/// One wait for one wake-up. Either may come first; a cancelled task wakes itself.
package final class Waiter: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case woken
  }
  private let state = Mutex(State.idle)

  package init() {}

  /// Returns once woken or cancelled. Called once. An actor waits on its own queue: the closure must name the isolation,
  /// or it would run on another thread, two hops away.
  package func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      _ = isolation
      await withCheckedContinuation { continuation in
        let isWoken = state.withLock { state in
          if case .woken = state { return true }
          state = .waiting(continuation)
          return false
        }
        if isWoken { continuation.resume() }
      }
    } onCancel: {
      wake()
    }
  }

  package func wake() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .woken }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume()
  }
}
