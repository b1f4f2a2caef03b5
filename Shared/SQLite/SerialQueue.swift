import Dispatch

/// An actor's own thread of work: blocking calls (a commit's fsync) never hold one of Swift's shared threads.
///
///     actor Store { let queue = SerialQueue("store"); nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() } }
///
/// A task of the actor that waits often runs inside `withTaskExecutorPreference(queue)`: without it the runtime wakes the
/// task on a shared thread first, which only sends it on to this queue.
package final class SerialQueue: SerialExecutor, TaskExecutor {
  private let queue: DispatchQueue

  package init(_ label: String) { queue = DispatchQueue(label: "daybook.\(label)") }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
    }
  }
}
