import CMicroHTTPD
import Glibc
import Synchronization

/// A body that is sent as it comes. A task fills a small buffer; libmicrohttpd's thread empties it, and suspends the
/// connection while there is nothing. The task is cancelled when the client goes away.
final class StreamBody: Sendable {
  fileprivate struct State {
    var buffer: [UInt8] = []
    var at = 0
    var ended = false
    /// The stream failed, or the client is gone: the connection closes without the end of the body.
    var broken = false
    var isSuspended = false
    var space: CheckedContinuation<Void, Never>?
    var pump: Task<Void, Never>?
    var watch: Poller.Token?
  }

  /// More is not taken from the stream before the client has taken some.
  private static let enough = 64 * 1024

  private let connection: ConnectionHandle
  private let socket: Int32
  private let state = Mutex(State())

  init(_ connection: ConnectionHandle, socket: Int32) {
    self.connection = connection
    self.socket = socket
  }

  /// Begins to pull from the stream.
  func start(_ stream: AsyncThrowingStream<[UInt8], any Error>) {
    let pump = Task.detached { [self] in
      do {
        for try await piece in stream where !piece.isEmpty {
          // A cancelled task gets no further piece, and the stream hears of it.
          await push(piece)
        }
        end(broken: Task.isCancelled)
      } catch {
        end(broken: true)
      }
    }
    let isOver = state.withLock { state in
      state.pump = pump
      return state.broken
    }
    if isOver { pump.cancel() }
  }

  private func push(_ piece: [UInt8]) async {
    let resume = state.withLock { state in
      state.buffer += piece
      return state.wake()
    }
    if resume { connection.resume() }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.buffer.count - state.at < Self.enough || state.broken { return true }
        state.space = continuation
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// `broken`: the client is not told that the body is whole.
  func end(broken: Bool) {
    let (resume, space, pump) = state.withLock { state in
      state.ended = true
      state.broken = state.broken || broken
      defer { state.space = nil }
      return (state.wake(), broken ? state.space : nil, broken ? state.pump : nil)
    }
    pump?.cancel()
    space?.resume()
    if resume { connection.resume() }
  }

  /// libmicrohttpd is done with the body.
  func release() {
    let (space, pump, watch) = state.withLock { state in
      state.broken = true
      state.isSuspended = false
      defer { state.space = nil }
      return (state.space, state.pump, state.watch)
    }
    if let watch { Poller.shared.forget(watch) }
    pump?.cancel()
    space?.resume()
  }

  /// Fills libmicrohttpd's buffer; 0 after suspending the connection.
  func read(into out: UnsafeMutablePointer<CChar>, atMost limit: Int) -> Int {
    let (result, space, first) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?, Bool) in
      if state.broken { return (-2, nil, false) }
      let rest = state.buffer.count - state.at
      if rest > 0 {
        let count = min(rest, limit)
        unsafe UnsafeMutableRawBufferPointer(start: out, count: count).copyBytes(
          from: state.buffer[state.at..<state.at + count])
        state.at += count
        guard count == rest else { return (count, nil, false) }
        state.buffer.removeAll(keepingCapacity: state.buffer.capacity <= 2 * Self.enough)
        state.at = 0
        defer { state.space = nil }
        return (count, state.space, false)
      }
      if state.ended { return (-1, nil, false) }
      state.isSuspended = true
      unsafe MHD_suspend_connection(connection.pointer)
      return (0, nil, state.watch == nil)
    }
    space?.resume()
    if first { watch() }
    return result
  }

  /// A suspended connection is not read from: whether the client has gone must be asked for.
  private func watch() {
    let token = Poller.shared.watch(socket, .gone) { [weak self] in self?.end(broken: true) }
    state.withLock { $0.watch = token }
  }
}

extension StreamBody.State {
  /// Whether the caller must resume the connection.
  fileprivate mutating func wake() -> Bool {
    defer { isSuspended = false }
    return isSuspended
  }
}
