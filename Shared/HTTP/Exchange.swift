import CMicroHTTPD
import Messaging
import Synchronization

/// A connection of libmicrohttpd, which may be resumed from any thread.
@safe struct ConnectionHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  func resume() { unsafe MHD_resume_connection(pointer) }
}

/// One request and its answer. libmicrohttpd's thread moves it on, but for `finish`, which any thread may call.
final class Exchange: Sendable {
  enum Phase {
    /// The request line is there; `target` as it was sent.
    case opened(target: [UInt8])
    /// The body comes in; `excess` bytes were dropped because it is too large.
    case receiving(RequestHead, body: [UInt8], excess: Int)
    /// The handler has it; the connection is suspended.
    case handling
    /// The handler has answered; the connection is resumed.
    case answered(Response)
    /// Given to libmicrohttpd.
    case sent
  }

  struct State {
    var phase: Phase
    var task: Task<Void, Never>?
    /// For the observer.
    var method = ""
    var route = ""
    var status = 0
    var began = Int64(0)
  }

  let connection: ConnectionHandle
  /// Where in memory the target begins, to tell how long it was sent.
  let start: UInt
  let state: Mutex<State>

  init(_ connection: ConnectionHandle, target: [UInt8], start: UInt) {
    self.connection = connection
    self.start = start
    state = Mutex(State(phase: .opened(target: target)))
  }

  /// Takes the handler's answer, once; later ones are dropped.
  func finish(_ response: Response) {
    let isFirst = state.withLock { state in
      guard case .handling = state.phase else { return false }
      state.phase = .answered(response)
      return true
    }
    if isFirst { connection.resume() }
  }

  /// Asks a handler to come to an end.
  func cancel() { state.withLock { $0.task }?.cancel() }

  /// Answers in place of a handler that does not come to an end.
  func abandon() {
    finish(.problem(Problem(code: "stopping", status: 503, detail: "This process is stopping; try again.")))
  }
}

/// One connection: its socket and until when the next step must be done.
final class Link: Sendable {
  let socket: Int32
  /// Of `Poller.now()`; `.max` for none.
  let deadline: Atomic<Int64>

  init(socket: Int32, deadline: Int64) {
    self.socket = socket
    self.deadline = Atomic(deadline)
  }
}
