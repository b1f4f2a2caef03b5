import CRdKafka
import Synchronization

/// What librdkafka calls when a queue that was empty gets something. It is called under the queue's lock: what answers
/// must be quick and must not touch librdkafka.
final class Bell: Sendable {
  private struct Answer: Sendable {
    let run: @Sendable () -> Void
  }
  private let answer = Mutex<Answer?>(nil)

  func answer(by run: @escaping @Sendable () -> Void) { answer.withLock { $0 = Answer(run: run) } }

  /// The queue keeps the bell until `unhang`.
  func hang(on queue: OpaquePointer) {
    unsafe rd_kafka_queue_cb_event_enable(
      queue,
      { _, context in
        guard let context = unsafe context else { return }
        let bell = unsafe Unmanaged<Bell>.fromOpaque(context).takeUnretainedValue()
        bell.answer.withLock { $0 }?.run()
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// After this the bell is not rung again. Called once for each `hang`.
  func unhang(from queue: OpaquePointer) {
    unsafe rd_kafka_queue_cb_event_enable(queue, nil, nil)
    unsafe Unmanaged.passUnretained(self).release()
  }
}
