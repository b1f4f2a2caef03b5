import CMicroHTTPD
import Glibc
import Synchronization

/// One thread that waits for sockets and moments with epoll, for all of the process: no thread blocks on a socket, and
/// nothing runs while nothing happens. Callbacks run on that thread and must not block.
final class Poller: Sendable {
  static let shared = Poller()

  /// A registration of a socket or a moment; unique for good.
  typealias Token = UInt64

  private struct State {
    var next: Token = 1
    var sockets: [Token: @Sendable () -> Void] = [:]
    var moments: [Token: (at: Int64, body: @Sendable () -> Void)] = [:]
    /// When the thread wakes by itself.
    var wakesAt = Int64.max
    var started = false
  }
  private let state = Mutex(State())
  private let epoll = daybook_epoll_make()
  private let bell = daybook_epoll_bell()

  /// Nanoseconds of a clock that never goes back.
  static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// What to wait for on a socket; an error on it ends every wait.
  enum Event {
    case readable, writable
    /// The other side has closed.
    case gone

    fileprivate var bits: UInt32 {
      let bits =
        switch self {
        case .readable: daybook_epoll_readable
        case .writable: daybook_epoll_writable
        case .gone: daybook_epoll_gone
        }
      return UInt32(bits) | UInt32(daybook_epoll_once)
    }
  }

  /// Calls back once when the event is there; nil where the system refuses. One wait a socket at a time.
  func watch(_ socket: Int32, _ event: Event, _ body: @escaping @Sendable () -> Void) -> Token? {
    start()
    let token = state.withLock { state in
      let token = state.next
      state.next += 1
      state.sockets[token] = body
      return token
    }
    guard daybook_epoll_watch(epoll, socket, event.bits, token) != 0 else { return token }
    _ = state.withLock { $0.sockets.removeValue(forKey: token) }
    return nil
  }

  /// Calls back once at that moment of `now()`.
  func at(_ moment: Int64, _ body: @escaping @Sendable () -> Void) -> Token {
    start()
    let (token, earlier) = state.withLock { state in
      let token = state.next
      state.next += 1
      state.moments[token] = (moment, body)
      defer { state.wakesAt = min(state.wakesAt, moment) }
      return (token, moment < state.wakesAt)
    }
    if earlier { daybook_epoll_ring(bell) }
    return token
  }

  /// Ends a wait for a socket or a moment. A callback that has begun may still run. The socket stays with epoll, armed
  /// for one event more that nobody is told, until the next wait for it or until it is closed.
  func forget(_ token: Token) {
    state.withLock { state in
      state.sockets[token] = nil
      state.moments[token] = nil
    }
  }

  private func start() {
    let first = state.withLock { state in
      defer { state.started = true }
      return !state.started
    }
    guard first else { return }
    _ = daybook_epoll_watch(epoll, bell, UInt32(daybook_epoll_readable), 0)
    var thread = pthread_t()
    unsafe pthread_create(
      &thread, nil,
      { _ in
        Poller.shared.loop()
        return nil
      }, nil)
    pthread_detach(thread)
  }

  private func loop() {
    var tokens = [Token](repeating: 0, count: 64)
    while true {
      let pause = state.withLock { state -> Int32 in
        let first = state.moments.values.lazy.map(\.at).min() ?? .max
        state.wakesAt = first
        guard first != .max else { return -1 }
        return Int32(clamping: max(0, (first - Self.now() + 999_999) / 1_000_000))
      }
      let count = unsafe daybook_epoll_wait(epoll, &tokens, Int32(tokens.count), pause)
      for token in tokens.prefix(Int(max(0, count))) {
        guard token != 0 else {
          daybook_epoll_hush(bell)
          continue
        }
        let body = state.withLock { $0.sockets.removeValue(forKey: token) }
        body?()
      }
      let now = Self.now()
      let due = state.withLock { state in
        let tokens = state.moments.filter { $0.value.at <= now }.keys
        return tokens.compactMap { state.moments.removeValue(forKey: $0)?.body }
      }
      for body in due { body() }
    }
  }
}
