import Messaging
import Synchronization

/// A line on standard error that tells how far something is: only on a terminal, and only once it lasts over a
/// second. `finish` wipes it; call it whatever happens.
final class Progress: Sendable {
  private struct State {
    var done = 0
    var isVisible = false
    var isFinished = false
    var ticker: Task<Void, Never>?
  }
  private let console: Console
  private let label: String
  private let total: Int?
  private let began: Int64
  private let state = Mutex(State())

  private init(_ console: Console, _ label: String, total: Int?) {
    self.console = console
    self.label = label
    self.total = total
    began = console.now().milliseconds
  }

  /// Begins to watch the time.
  static func begin(_ console: Console, _ label: String, total: Int? = nil) -> Progress {
    let progress = Progress(console, label, total: total)
    guard console.errorIsTerminal else { return progress }
    let ticker = Task { [weak progress] in
      var pause = Duration.seconds(1)
      while (try? await Task.sleep(for: pause)) != nil {
        guard let progress else { return }
        progress.draw()
        pause = .milliseconds(250)
      }
    }
    progress.state.withLock { $0.ticker = ticker }
    return progress
  }

  /// Runs the body under a line that says what is waited for.
  static func during<T>(_ console: Console, _ label: String, _ body: () async throws -> T) async throws -> T {
    let progress = begin(console, label)
    defer { progress.finish() }
    return try await body()
  }

  /// Notes work done.
  func advance(by count: Int = 1) { state.withLock { $0.done += count } }

  /// Wipes the line before something else is printed; it comes back.
  func clear() {
    state.withLock { state in
      if state.isVisible { console.standardError(Array("\r\u{1B}[K".utf8)) }
      state.isVisible = false
    }
  }

  /// Wipes the line; nothing is drawn any more.
  func finish() {
    state.withLock { state in
      state.ticker?.cancel()
      if state.isVisible { console.standardError(Array("\r\u{1B}[K".utf8)) }
      state.isVisible = false
      state.isFinished = true
    }
  }

  private func draw() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isVisible = true
      console.standardError(Array("\r\u{1B}[K\(text(state.done))".utf8))
    }
  }

  private func text(_ done: Int) -> String {
    guard done > 0 else { return "\(label) …" }
    let rate = done * 1000 / max(1, Int(console.now().milliseconds - began))
    guard let total, total > 0 else { return "\(label): \(done) (\(rate)/s)" }
    return "\(label): \(done) of \(total) (\(done * 100 / total) %, \(rate)/s)"
  }
}
