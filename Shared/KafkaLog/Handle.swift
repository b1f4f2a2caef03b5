import CRdKafka
import Dispatch
import EventLog
import Foundation
import Synchronization

/// A librdkafka client: made, served when it has something to tell, and destroyed within a bound.
///
/// One thread waits in librdkafka for events and destroys the client in the end. Calls that block run on threads of
/// their own; none begins once the handle closes, and the client is destroyed behind the last one.
@safe final class Handle: Sendable {
  enum Kind: Sendable {
    case producer
    case consumer
  }

  /// What comes on the event queue.
  struct Listener: Sendable {
    /// A delivery report of one record.
    var delivered: @Sendable (Delivery) -> Void = { _ in }
    /// Behind the delivery reports that came together.
    var settled: @Sendable () -> Void = {}
    /// The client works no more, for this reason.
    var failed: @Sendable (String) -> Void = { _ in }
  }

  private struct State {
    var users = 0
    var isClosing = false
    var isDestroyed = false
    var closers: [Waiter] = []
    var isProbing = false
    /// Why the broker is not reached, from librdkafka's last error.
    var reason: (sentence: String, isFinal: Bool)?
    /// The same once a probe found it so.
    var trouble: String?
  }

  let told: KafkaTrouble
  nonisolated(unsafe) let client: OpaquePointer
  nonisolated(unsafe) private let events: OpaquePointer
  private let listener: Mutex<Listener>
  private let state = Mutex(State())
  /// Whether to find out, while all brokers are down, when one is back.
  private let isWatching: Bool

  /// Starts the client's threads; connects to nobody yet.
  init(
    _ kind: Kind, _ settings: KafkaSettings, clientID: String, _ properties: [String: String], isWatching: Bool = false
  ) throws(LogError) {
    told = KafkaTrouble(settings)
    self.isWatching = isWatching
    var all = Self.common.merging(properties) { $1 }
    all["bootstrap.servers"] = settings.servers
    all["client.id"] = clientID
    all.merge(settings.properties) { $1 }
    let pointer = try unsafe Self.make(kind, all)
    unsafe client = pointer
    guard let events = unsafe rd_kafka_queue_get_main(pointer) else {
      unsafe rd_kafka_destroy(pointer)
      throw .failed("librdkafka has no event queue")
    }
    unsafe self.events = events
    listener = Mutex(Listener())
    Thread.detachNewThread { [self] in serve() }
  }

  private static let common = [
    "socket.nagle.disable": "true", "socket.keepalive.enable": "true", "socket.timeout.ms": "30000",
    "reconnect.backoff.ms": "50", "reconnect.backoff.max.ms": "1000",
    "topic.metadata.refresh.interval.ms": "60000", "metadata.request.timeout.ms": "10000",
  ]

  private static func make(_ kind: Kind, _ properties: [String: String]) throws(LogError) -> OpaquePointer {
    guard let settings = unsafe rd_kafka_conf_new() else { throw .failed("there is no memory for librdkafka") }
    unsafe daybook_kafka_quiet(settings)
    unsafe rd_kafka_conf_set_events(settings, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR)
    for (name, value) in properties
    where unsafe rd_kafka_conf_set(settings, name, value, nil, 0) != RD_KAFKA_CONF_OK {
      unsafe rd_kafka_conf_destroy(settings)
      throw .failed("librdkafka does not take this value of \(name)")
    }
    var text = [CChar](repeating: 0, count: 512)
    let type = kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER
    guard let client = unsafe rd_kafka_new(type, settings, &text, text.count) else {
      unsafe rd_kafka_conf_destroy(settings)
      throw .failed(
        "librdkafka does not start: "
          + String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      )
    }
    return unsafe client
  }

  /// Who is told from now on.
  func listen(_ listener: Listener) { self.listener.withLock { $0 = listener } }

  // MARK: - Events

  /// The handle's thread, until it is to be destroyed.
  private func serve() {
    while true {
      // Closing makes the wait return with nothing.
      if let event = unsafe rd_kafka_queue_poll(events, -1) {
        unsafe serve(event)
      } else if state.withLock({ $0.isClosing && $0.users == 0 }) {
        break
      }
    }
    while let event = unsafe rd_kafka_queue_poll(events, 0) { unsafe serve(event) }
    destroy()
  }

  private func serve(_ event: OpaquePointer) {
    let listener = self.listener.withLock { $0 }
    switch unsafe rd_kafka_event_type(event) {
    case RD_KAFKA_EVENT_DR:
      while let message = unsafe rd_kafka_event_message_next(event) {
        unsafe listener.delivered(Delivery(message))
      }
      listener.settled()
    case RD_KAFKA_EVENT_ERROR:
      let text = unsafe rd_kafka_event_error_string(event).map { unsafe String(cString: $0) } ?? ""
      unsafe take(rd_kafka_event_error(event), text, listener)
    default: break
    }
    unsafe rd_kafka_event_destroy(event)
  }

  private func take(_ code: rd_kafka_resp_err_t, _ text: String, _ listener: Listener) {
    switch code {
    case RD_KAFKA_RESP_ERR__FATAL:
      listener.failed(fatal ?? "the producer has failed")
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      if isWatching { probe() }
    default:
      let reason = told.connection(code, text)
      state.withLock { state in
        // What is final stays: the disconnect behind it says less.
        if state.reason?.isFinal != true || reason.isFinal { state.reason = reason }
      }
    }
  }

  /// Why the client works no more, for a body of `use` and for listeners.
  var fatal: String? {
    let code = unsafe rd_kafka_fatal_error(client, nil, 0)
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : told.fatal(code)
  }

  /// Why the broker is not reached, as far as librdkafka has told.
  var reason: (sentence: String, isFinal: Bool)? { state.withLock { $0.reason } }

  /// Why no broker is reached, found so by a request; nil as soon as one answers again.
  var trouble: String? { state.withLock { $0.trouble } }

  /// All brokers are said to be down. An idle connection that was closed looks the same, so a request decides; it is
  /// repeated until one is answered, and waits in librdkafka for a connection meanwhile.
  private func probe() {
    let begins = state.withLock { state in
      defer { state.isProbing = true }
      return !state.isProbing && !state.isClosing
    }
    if begins { probeOnce() }
  }

  private func probeOnce() {
    DispatchQueue(label: "daybook.kafka.probe").async { [self] in
      let isAnswered = try? unsafe use { unsafe Metadata.read($0, nil, milliseconds: 1000) }.map {
        $0.code == RD_KAFKA_RESP_ERR_NO_ERROR
      }
      let goesOn = state.withLock { state in
        guard !state.isClosing, let isAnswered, !isAnswered else {
          (state.isProbing, state.trouble, state.reason) = (false, nil, nil)
          return false
        }
        state.trouble = state.reason?.sentence ?? told.unreachable
        return true
      }
      guard goesOn else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { [self] in probeOnce() }
    }
  }

  // MARK: - Calls

  /// Runs a body with the client, which is not destroyed meanwhile; nil once the handle closes.
  func use<T>(_ body: (OpaquePointer) throws(LogError) -> T) throws(LogError) -> T? {
    let mayUse = state.withLock { state in
      if !state.isClosing { state.users += 1 }
      return !state.isClosing
    }
    guard mayUse else { return nil }
    defer { leave() }
    return try unsafe body(client)
  }

  private func leave() {
    let isLast = state.withLock { state in
      state.users -= 1
      return state.isClosing && state.users == 0
    }
    if isLast { unsafe rd_kafka_queue_yield(events) }
  }

  /// Runs a body that may block on a thread of its own. Throws once the handle closes.
  func call<T: Sendable>(_ body: @escaping @Sendable (OpaquePointer) throws(LogError) -> T) async throws(LogError) -> T
  {
    let result: Result<T, LogError> = await withCheckedContinuation { continuation in
      DispatchQueue(label: "daybook.kafka.call").async { [self] in
        continuation.resume(
          returning: Result { () throws(LogError) in
            guard let value = try unsafe use(body) else { throw .failed("the log is closed") }
            return value
          })
      }
    }
    return try result.get()
  }

  // MARK: - Closing

  /// Destroys the client behind the last call. Returns then, or after `bound`: it ends by itself later.
  func close(within bound: Duration = .seconds(1)) async {
    let waiter = Waiter()
    let (isIdle, isDone) = state.withLock { state in
      defer { state.isClosing = true }
      if !state.isDestroyed { state.closers.append(waiter) }
      return (!state.isClosing && state.users == 0, state.isDestroyed)
    }
    if isIdle { unsafe rd_kafka_queue_yield(events) }
    guard !isDone else { return }
    await waiter.wait(atMost: bound)
  }

  private func destroy() {
    unsafe rd_kafka_queue_destroy(events)
    unsafe rd_kafka_destroy_flags(client, Int32(RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE))
    let closers = state.withLock { state in
      state.isDestroyed = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.wake() }
  }
}
