import Dispatch
import Synchronization

/// Reading connections to one file, opened as they are needed and kept. Each read runs alone on its connection,
/// on a thread that may block, inside one snapshot.
package final class ReaderPool: Sendable {
  private struct State: @unchecked Sendable {
    /// Used by one read at a time each: taken out for it, put back behind it.
    var idle: [Connection] = []
    var running = 0
    var waiting: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let path: String
  private let size: Int
  private let mapped: Int64
  private let queue = DispatchQueue(label: "daybook.readers", attributes: .concurrent)
  private let state = Mutex(State())
  private let reads = DispatchGroup()

  /// At most `size` of the `read` calls run at once; the others wait their turn, in order, without holding a thread.
  /// `mapped`: so many bytes of the file are read as memory and not through SQLite's own cache, which is small beside a
  /// file that reads jump about in.
  package init(_ path: String, size: Int = 4, mapped: Int64 = 0) {
    self.path = path
    self.mapped = mapped
    self.size = max(1, size)
  }

  /// Runs the body with a reading connection in one snapshot. Throws `ReaderPool.Closed` after `close`.
  package func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      start { [self] in
        let result = Result { try withConnection(body) }
        finish()
        continuation.resume(with: result)
      }
    }
  }

  /// As `read`, on the calling thread: for callers that may block.
  package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
    reads.enter()
    defer { reads.leave() }
    let kept = try state.withLock { state throws(Closed) -> Connection? in
      guard !state.isClosed else { throw Closed() }
      return state.idle.popLast()
    }
    let connection = try kept ?? open()
    defer {
      state.withLock { state in
        if state.isClosed { connection.close() } else { state.idle.append(connection) }
      }
    }
    return try connection.snapshot { try body(connection) }
  }

  private func open() throws -> Connection {
    let connection = try Connection(path, .reading)
    if mapped > 0 { try connection.execute("PRAGMA mmap_size=\(mapped)") }
    return connection
  }

  /// Waits for the reads under way, refuses those that have not begun, and closes every connection. Call it before the
  /// writer of the file closes. More than once does nothing.
  package func close() {
    state.withLock { $0.isClosed = true }
    reads.wait()
    state.withLock { state in
      for connection in state.idle { connection.close() }
      state.idle = []
    }
  }

  /// Why a read did not run.
  package struct Closed: Error, CustomStringConvertible {
    package init() {}
    package var description: String { "the database is closed" }
  }

  private func start(_ read: @escaping @Sendable () -> Void) {
    let now = state.withLock { state in
      guard state.running < size else {
        state.waiting.append(read)
        return false
      }
      state.running += 1
      return true
    }
    if now { queue.async(execute: read) }
  }

  private func finish() {
    let next = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.waiting.isEmpty else {
        state.running -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    if let next { queue.async(execute: next) }
  }
}
