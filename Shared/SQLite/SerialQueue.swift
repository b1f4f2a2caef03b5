import Dispatch

/// An actor's own thread of work: blocking calls (a commit's fsync) never hold one of Swift's shared threads.
///
///     actor Store { let queue = SerialQueue("store"); nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() } }
package final class SerialQueue: SerialExecutor {
  private let queue: DispatchQueue

  package init(_ label: String) { queue = DispatchQueue(label: "daybook.\(label)") }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
