package import Messaging
import Synchronization

/// How far a follower is, for every thread: who waits for a receipt is woken when it is folded. Nothing is polled.
package final class FollowerProgress: Sendable {
  /// One partition, as it was committed last.
  package struct Lane: Sendable {
    package var position = FollowerPosition()
    /// The offset of the next record to read; past the position inside an unfinished command.
    package var next: Int64 = 0
    package var stop: FollowerStop?
    /// Whether it has read what stood in the log when it began.
    package var isReady = false
    /// When `next` last rose, or when it was opened.
    package var moved = ContinuousClock.now
  }

  private struct Waiter {
    let isDone: @Sendable ([ServicePartition: Lane]) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }
  private struct State {
    var lanes: [ServicePartition: Lane] = [:]
    var isOpen = false
    var isClosed = false
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    /// Waiters whose task was cancelled before they were kept.
    var cancelled: Set<Int> = []
  }
  private let state = Mutex(State())
  /// Fired when somebody begins to wait: what is held back is folded now.
  let wanted = Signal()
  /// For sentences: `projection`.
  private let name: String

  package init(name: String) { self.name = name }

  /// Every partition followed, by its place.
  package var lanes: [(partition: ServicePartition, lane: Lane)] {
    state.withLock { $0.lanes.map { (partition: $0.key, lane: $0.value) } }.sorted { $0.partition < $1.partition }
  }
  package func lane(_ partition: ServicePartition) -> Lane? { state.withLock { $0.lanes[partition] } }

  /// Whether the file is there to be read: false before the start and while it is rebuilt.
  package var isOpen: Bool { state.withLock { $0.isOpen && !$0.isClosed } }

  /// Where each partition stands, by `tasks/3`: the `asOf` of an answer that is not read from the file's own positions.
  package var sequences: [ServicePartition: Int64] { state.withLock { $0.lanes.mapValues(\.position.sequence) } }

  // MARK: - The follower's side

  func open(_ lanes: [ServicePartition: Lane]) {
    change {
      $0.lanes = lanes
      $0.isOpen = true
    }
  }

  /// Whether anybody waits for what is not folded yet.
  var isWaitedFor: Bool { state.withLock { !$0.waiters.isEmpty } }

  /// After a commit, a stop, or reading on inside an unfinished command.
  func update(_ lanes: [(ServicePartition, Lane)]) {
    change { state in for (partition, lane) in lanes { state.lanes[partition] = lane } }
  }

  /// Wakes everybody; further waiting ends at once.
  func close() { change { $0.isClosed = true } }

  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      let done = state.waiters.filter { state.isClosed || $0.value.isDone(state.lanes) }
      for key in done.keys { state.waiters[key] = nil }
      return done.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  // MARK: - Waiting

  /// Returns once the condition holds for the lanes, the follower is closed, or the task is cancelled. The condition is
  /// asked under a lock: it must be short and must not come back here.
  package func wait(until isDone: @escaping @Sendable ([ServicePartition: Lane]) -> Bool) async {
    let key = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.cancelled.remove(key) == nil, !state.isClosed, !isDone(state.lanes) else { return true }
          state.waiters[key] = Waiter(isDone: isDone, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() } else { wanted.fire() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: key)
        if waiter == nil { state.cancelled.insert(key) }
        return waiter
      }
      waiter?.continuation.resume()
    }
    state.withLock { _ = $0.cancelled.remove(key) }
  }

  /// Returns once every receipt is folded. Throws the problem `behind` (504), naming what lags, when the time is over,
  /// when a partition that is needed has stopped, or when the follower closes; `invalid` for a partition unknown here.
  package func wait(for receipts: [Receipt], timeout: Duration = .seconds(5)) async throws(Problem) {
    let lanes = state.withLock { $0.lanes }
    if let unknown = receipts.first(where: { lanes[$0.servicePartition] == nil }), isOpen {
      throw .invalid("after", "\(unknown) is not a partition that is followed here")
    }
    guard !Self.isSettled(receipts, lanes) else { return try check(receipts) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait { Self.isSettled(receipts, $0) } }
      group.addTask { try? await Task.sleep(for: timeout) }
      await group.next()
      group.cancelAll()
    }
    try check(receipts)
  }

  /// Folded, or never to be folded by this process.
  private static func isSettled(_ receipts: [Receipt], _ lanes: [ServicePartition: Lane]) -> Bool {
    receipts.allSatisfy { isFolded($0, lanes) }
      || receipts.contains { lanes[$0.servicePartition]?.stop != nil && !isFolded($0, lanes) }
  }

  private static func isFolded(_ receipt: Receipt, _ lanes: [ServicePartition: Lane]) -> Bool {
    (lanes[receipt.servicePartition]?.position.sequence ?? -1) >= receipt.sequence
  }

  private func check(_ receipts: [Receipt]) throws(Problem) {
    let lanes = state.withLock { $0.lanes }
    let lagging = receipts.filter { !Self.isFolded($0, lanes) }
    guard !lagging.isEmpty else { return }
    let places = lagging.map { receipt in
      let lane = lanes[receipt.servicePartition]
      return "\(receipt) (it is at \(lane?.position.sequence ?? 0)\(lane?.stop.map { ", \($0)" } ?? ""))"
    }
    throw Problem(
      code: "behind", status: 504,
      detail: "The \(name) has not folded \(places.joined(separator: ", ")) yet; ask again, or with after=none.",
      members: ["lagging": .array(lagging.map { .string($0.description) })])
  }
}
