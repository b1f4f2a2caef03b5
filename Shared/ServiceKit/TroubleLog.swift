package import Messaging
import Synchronization

/// Logs a trouble that is met again and again: a line when it begins, one when it is over, and between them at most one
/// a minute.
package final class TroubleLog: Sendable {
  private struct State {
    var told: ContinuousClock.Instant?
    var isOpen = false
  }
  private let logger: Logger
  private let every: Duration
  private let state = Mutex(State())

  /// `every`: the least time between two lines of troubles.
  package init(_ logger: Logger, every: Duration = .seconds(60)) {
    self.logger = logger
    self.every = every
  }

  /// Call it each time the trouble is met.
  package func met(_ level: Logger.Level, _ message: @autoclosure () -> String, _ fields: JSONObject = [:]) {
    let tells = state.withLock { state in
      if let told = state.told, .now - told < every { return false }
      (state.told, state.isOpen) = (.now, true)
      return true
    }
    if tells { logger.log(level, message(), fields) }
  }

  /// Call it each time all is well; logs only the end of a trouble that was logged.
  package func over(_ message: @autoclosure () -> String) {
    let tells = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    if tells { logger.log(.notice, message()) }
  }
}
