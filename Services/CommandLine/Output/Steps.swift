import Synchronization

/// Turns running totals into steps.
final class Steps: Sendable {
  private let last = Mutex(0)

  /// How much was added since the last call.
  func step(to total: Int) -> Int {
    last.withLock { last in
      defer { last = total }
      return max(0, total - last)
    }
  }
}
