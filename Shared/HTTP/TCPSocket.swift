import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// A connected, non-blocking TCP socket whose waits are awaited. One task at a time uses it.
final class TCPSocket: Sendable {
  /// What an operation on a socket failed with, before it is told with an address.
  enum Failure: Error {
    case refused
    case unreachable(String)
    case timedOut
    case broken(String)
    case cancelled
  }

  private let descriptor: Mutex<Int32>

  /// Takes over a connected, non-blocking socket.
  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  deinit { close() }

  func close() {
    descriptor.withLock { descriptor in
      if descriptor >= 0 { _ = Glibc.close(descriptor) }
      descriptor = -1
    }
  }

  /// Tries each address of the host in turn, until `deadline` (of `Poller.now()`).
  static func connect(host: String, port: Int, deadline: Int64) async throws(Failure) -> TCPSocket {
    var failure = Failure.unreachable("the host \(host) has no address")
    for address in try await Address.resolve(host, port) {
      do throws(Failure) {
        return try await connect(address, deadline)
      } catch {
        if case .timedOut = error { throw error }
        if case .cancelled = error { throw error }
        failure = error
      }
    }
    throw failure
  }

  private static func connect(_ address: Address, _ deadline: Int64) async throws(Failure) -> TCPSocket {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(address.family, type, 0)
    guard descriptor >= 0 else { throw .unreachable(reason(errno)) }
    let socket = TCPSocket(descriptor)
    var on: Int32 = 1
    unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    if address.connect(descriptor) == 0 { return socket }
    guard errno == EINPROGRESS else { throw failure(errno) }
    try await socket.wait(.writable, deadline)
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    guard code == 0 else { throw failure(code) }
    return socket
  }

  private static func failure(_ code: Int32) -> Failure {
    code == ECONNREFUSED ? .refused : .unreachable(reason(code))
  }

  private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  /// At most `limit` bytes, waiting for the first; empty once the other side has ended.
  func read(atMost limit: Int, deadline: Int64) async throws(Failure) -> [UInt8] {
    while true {
      let descriptor = descriptor.withLock { $0 }
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
        count = unsafe recv(descriptor, buffer.baseAddress, limit, 0)
        filled = max(0, count)
      }
      if count >= 0 { return bytes }
      switch errno {
      case EAGAIN: try await wait(.readable, deadline)
      case EINTR: continue
      case let code: throw .broken(Self.reason(code))
      }
    }
  }

  func write(_ bytes: [UInt8], deadline: Int64) async throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let descriptor = descriptor.withLock { $0 }
      let count = unsafe bytes.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
        continue
      }
      switch errno {
      case EAGAIN: try await wait(.writable, deadline)
      case EINTR: continue
      case let code: throw .broken(Self.reason(code))
      }
    }
  }

  /// Whether the other side has neither closed nor sent anything: a kept connection may be used again.
  var isQuiet: Bool {
    descriptor.withLock { descriptor in
      var byte: UInt8 = 0
      let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK))
      return count < 0 && errno == EAGAIN
    }
  }

  private func wait(_ event: Poller.Event, _ deadline: Int64) async throws(Failure) {
    let descriptor = descriptor.withLock { $0 }
    let wait = SocketWait()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait.begin(continuation, descriptor, event, deadline)
      }
    } onCancel: {
      wait.end(.cancelled)
    }
    switch outcome {
    case .ready: return
    case .timedOut: throw .timedOut
    case .cancelled: throw .cancelled
    case .refused: throw .broken("it cannot be watched")
    }
  }
}

/// One wait for one event: resumed once, by whichever comes first.
private final class SocketWait: Sendable {
  enum Outcome { case ready, timedOut, cancelled, refused }
  private struct State {
    var continuation: CheckedContinuation<Outcome, Never>?
    var early: Outcome?
    var socket: Poller.Token?
    var moment: Poller.Token?
  }
  private let state = Mutex(State())

  func begin(
    _ continuation: CheckedContinuation<Outcome, Never>, _ descriptor: Int32, _ event: Poller.Event, _ deadline: Int64
  ) {
    let early = state.withLock { state in
      state.continuation = continuation
      return state.early
    }
    if let early { return end(early) }
    let moment = deadline == .max ? nil : Poller.shared.at(deadline) { self.end(.timedOut) }
    let token = Poller.shared.watch(descriptor, event) { self.end(.ready) }
    let ended = state.withLock { state in
      state.moment = moment
      state.socket = token
      return state.continuation == nil
    }
    if token == nil { end(.refused) }
    if ended { clear() }
  }

  func end(_ outcome: Outcome) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      if state.continuation == nil { state.early = outcome }
      return state.continuation
    }
    guard let continuation else { return }
    clear()
    continuation.resume(returning: outcome)
  }

  private func clear() {
    let (socket, moment) = state.withLock { state in
      defer { (state.socket, state.moment) = (nil, nil) }
      return (state.socket, state.moment)
    }
    if let socket { Poller.shared.forget(socket) }
    if let moment { Poller.shared.forget(moment) }
  }
}
