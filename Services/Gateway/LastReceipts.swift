import Messaging
import ServiceKit
import Synchronization

/// The last receipt of each workspace and service that this gateway passed on: what a read waits for where it says
/// nothing else, so that people find what they just wrote. Bounded; the workspaces that were written to longest ago
/// are forgotten first.
final class LastReceipts: Sendable {
  private struct State {
    var receipts: [String: [String: Receipt]] = [:]
    /// Workspaces in the order in which they were first seen since they were forgotten.
    var order: [String] = []
    /// The last of each service and partition, whatever the workspace.
    var last: [ServicePartition: Receipt] = [:]
  }
  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int = 10_000) { self.limit = limit }

  func note(_ receipt: Receipt, workspace: String) {
    state.withLock { state in
      if receipt.sequence > state.last[receipt.servicePartition]?.sequence ?? 0 {
        state.last[receipt.servicePartition] = receipt
      }
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

  /// `*`: of all workspaces.
  func of(workspace: String) -> [Receipt] {
    state.withLock { state in
      workspace == "*" ? Array(state.last.values) : state.receipts[workspace].map { Array($0.values) } ?? []
    }
  }
}
