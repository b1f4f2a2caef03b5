import Messaging
import Synchronization

/// The last receipt of each workspace and service that this gateway passed on: what a read waits for where it says
/// nothing else, so that people find what they just wrote. Bounded; the workspaces that were written to longest ago
/// are forgotten first.
final class LastReceipts: Sendable {
  private struct State {
    var receipts: [String: [String: Receipt]] = [:]
    /// Workspaces in the order in which they were first seen since they were forgotten.
    var order: [String] = []
  }
  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int = 10_000) { self.limit = limit }

  func note(_ receipt: Receipt, workspace: String) {
    state.withLock { state in
      if state.receipts[workspace] == nil {
        state.order.append(workspace)
        if state.order.count > 2 * limit {
          for old in state.order.prefix(limit) { state.receipts[old] = nil }
          state.order.removeFirst(limit)
        }
      }
      // A repeat passes an old receipt on.
      if let known = state.receipts[workspace]?[receipt.service], known.sequence >= receipt.sequence { return }
      state.receipts[workspace, default: [:]][receipt.service] = receipt
    }
  }

  func of(workspace: String) -> [Receipt] {
    state.withLock { $0.receipts[workspace].map { Array($0.values) } ?? [] }
  }
}
