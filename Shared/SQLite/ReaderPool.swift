import Dispatch
import Synchronization

/// Reading connections to one file, opened as they are needed and kept. Each read runs alone on its connection,
/// on a thread of its own, inside one snapshot.
package final class ReaderPool: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "daybook.readers", attributes: .concurrent)
  private let slots: DispatchSemaphore
  private struct Idle: @unchecked Sendable { var connections: [Connection] = [] }
  private let idle = Mutex(Idle())

  /// At most `size` reads run at once; the others wait their turn.
  package init(_ path: String, size: Int = 4) {
    self.path = path
    slots = DispatchSemaphore(value: size)
  }

  /// Runs the body with a reading connection in one snapshot.
  package func read<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        slots.wait()
        defer { slots.signal() }
        continuation.resume(with: Result { try withConnection(body) })
      }
    }
  }

  /// As `read`, on the calling thread: for callers that may block.
  package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
    let connection = try idle.withLock { $0.connections.popLast() }.map { $0 } ?? Connection(path, .reading)
    defer { idle.withLock { $0.connections.append(connection) } }
    return try connection.snapshot { try body(connection) }
  }

  /// Closes the idle connections: call it when no read is under way, before the writer closes.
  package func close() {
    idle.withLock { idle in
      for connection in idle.connections { connection.close() }
      idle.connections = []
    }
  }
}
