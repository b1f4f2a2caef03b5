import Dispatch
import Glibc
import Synchronization

/// The services of a process. They start in order, each after the one before has prepared itself, and stop in reverse,
/// each awaited, when the process is told to (SIGTERM, SIGINT, SIGQUIT), when the calling task is cancelled, or when one fails.
package struct ServiceGroup: Sendable {
  private let services: [any Service]
  private let logger: Logger
  private let signals: Bool
  private let patience: Duration

  /// `signals` false leaves the process's signals alone (tests). What has not stopped within `patience` is named in
  /// the log and left behind.
  package init(
    _ services: [any Service], logger: Logger, signals: Bool = true, patience: Duration = .milliseconds(4500)
  ) {
    self.services = services
    self.logger = logger
    self.signals = signals
    self.patience = patience
  }

  /// Returns after a clean stop. Throws what the first failing service threw, after the others have stopped; a service
  /// that returns unasked has failed. `started` is called once all have been started.
  package func run(started: @Sendable () async -> Void = {}) async throws {
    let (reasons, reason) = AsyncStream.makeStream(of: Reason.self)
    let signals = try signals ? SignalWatch { reason.yield(.asked($0)) } : nil
    defer { signals?.cancel() }
    var running: [(name: String, task: Task<Void, Never>)] = []
    var failure: (any Error)?
    do {
      for service in services {
        try await service.prepare()
        running.append((service.name, Self.start(service, reason)))
      }
      await started()
      failure = await withTaskCancellationHandler {
        for await first in reasons { return why(first) }
        return nil
      } onCancel: {
        reason.yield(.asked("cancelled"))
      }
    } catch {
      failure = error
    }
    await stop(running)
    if let failure { throw failure }
  }

  private enum Reason: Sendable {
    case asked(String)
    case ended(String, (any Error)?)
  }

  private static func start(_ service: any Service, _ reason: AsyncStream<Reason>.Continuation) -> Task<Void, Never> {
    Task {
      do {
        try await service.run()
        reason.yield(.ended(service.name, nil))
      } catch {
        reason.yield(.ended(service.name, error))
      }
    }
  }

  private func why(_ reason: Reason) -> (any Error)? {
    switch reason {
    case .asked(let what):
      logger.log(.info, "stopping", ["reason": .string(what)])
      return nil
    case .ended(let name, let error):
      let error = error ?? StartupError("\(name) ended without being asked to")
      logger.log(
        .error, "a service failed; the process stops", ["service": .string(name), "error": .string("\(error)")])
      return error
    }
  }

  /// In reverse, each awaited; when the patience is over, the rest is cancelled at once and left behind.
  private func stop(_ running: [(name: String, task: Task<Void, Never>)]) async {
    let stopping = Mutex<String?>(nil)
    let finished = await within(patience) {
      for (name, task) in running.reversed() {
        stopping.withLock { $0 = name }
        task.cancel()
        await task.value
      }
    }
    guard !finished else { return }
    for (_, task) in running { task.cancel() }
    let name = stopping.withLock { $0 } ?? ""
    logger.log(.error, "a service did not stop in time and is left behind", ["service": .string(name)])
  }
}

/// Runs the body, but waits for it no longer than that; whether it ended in time. The body goes on if it did not.
package func within(_ patience: Duration, _ body: @escaping @Sendable () async -> Void) async -> Bool {
  let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
  Task.detached {
    await body()
    outcome.yield(true)
  }
  let timer = Task.detached {
    try? await Task.sleep(for: patience)
    outcome.yield(false)
  }
  defer { timer.cancel() }
  // Not bound to the caller's cancellation: a group stops in order even where its own task was cancelled.
  return await Task.detached { await outcomes.first { _ in true } ?? false }.value
}

/// Calls back on SIGTERM, SIGINT and SIGQUIT; the second one ends the process at once.
///
/// The handler only writes a byte to a pipe. A dispatch signal source would do the same with less code, but it takes
/// effect some time after it is made, and a signal in between is lost: the process would go on as if nothing was said.
private final class SignalWatch: Sendable {
  /// Set once; `cancel` may be called from any thread.
  nonisolated(unsafe) private let source: any DispatchSourceRead

  private static let watched = [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT"]

  /// Throws where the process has no descriptors left.
  init(_ body: @escaping @Sendable (String) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw StartupError("cannot watch for signals: \(String(cString: strerror(errno)))")
    }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    signalPipe = writing
    let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
    let seen = Mutex(0)
    source.setEventHandler {
      var number: UInt8 = 0
      while read(reading, &number, 1) == 1 {
        let count = seen.withLock { count in
          count += 1
          return count
        }
        guard count == 1 else { _exit(128 + Int32(number)) }
        body(Self.watched[Int32(number)] ?? "a signal")
      }
    }
    source.setCancelHandler {
      close(reading)
      close(writing)
    }
    source.resume()
    self.source = source
    signal(SIGPIPE, SIG_IGN)
    for number in Self.watched.keys { signal(number, tell) }
  }

  func cancel() {
    for number in Self.watched.keys { signal(number, SIG_DFL) }
    source.cancel()
  }
}

/// Where the handler writes to; set before it is installed.
nonisolated(unsafe) private var signalPipe: Int32 = -1

private func tell(_ number: Int32) {
  let before = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe, &byte, 1)
  errno = before
}
