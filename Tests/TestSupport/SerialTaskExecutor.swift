import Dispatch

/// Runs tasks one after the other in the order in which they were made, each up to its first suspension, so that a
/// test can wait until all of them are suspended: no sleep.
package final class SerialTaskExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "daybook.test.tasks")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Returns once all that was enqueued before has run up to a suspension.
  package func settle() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }
}
