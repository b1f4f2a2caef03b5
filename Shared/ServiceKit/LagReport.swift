package import EventLog
import Synchronization

/// Tells the log how far a group has read, for the log's own lag tools only: rarely, at best, and never when nothing
/// moved. What counts is what stands in our own databases.
package final class LagReport: Sendable {
  package typealias Tell = @Sendable (_ group: String, _ positions: [TopicPartition: Int64]) async -> Void

  private struct State {
    var moved: [String: [TopicPartition: Int64]] = [:]
    var isDue = false
  }
  private let every: Duration
  private let tell: Tell
  private let state = Mutex(State())

  /// `every`: the least time between two tellings.
  package init(every: Duration = .seconds(5), _ tell: @escaping Tell) {
    self.every = every
    self.tell = tell
  }

  /// Notes a position; one timer at most, and none while nothing moves.
  package func moved(_ group: String, _ partition: TopicPartition, to offset: Int64) {
    let isFirst = state.withLock { state in
      state.moved[group, default: [:]][partition] = offset
      defer { state.isDue = true }
      return !state.isDue
    }
    guard isFirst else { return }
    Task { [weak self, every] in
      try? await Task.sleep(for: every)
      await self?.tellAll()
    }
  }

  private func tellAll() async {
    let moved = state.withLock { state in
      defer { state = State() }
      return state.moved
    }
    for (group, positions) in moved { await tell(group, positions) }
  }
}
