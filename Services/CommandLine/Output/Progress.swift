import Messaging
import Synchronization

/// A line on standard error that tells how far something is: only on a terminal, and only once it lasts over a
/// second. Call `finish` at the end; it wipes the line.
final class Progress: Sendable {
  private struct State {
    var done = 0
    var shown: Int64 = 0
    var isVisible = false
  }
  private let console: Console
  private let label: String
  private let total: Int?
  private let began: Int64
  private let state = Mutex(State())

  init(_ console: Console, _ label: String, total: Int? = nil) {
    self.console = console
    self.label = label
    self.total = total
    began = console.now().milliseconds
  }

  /// Notes work done; shows it at most ten times a second.
  func advance(by count: Int = 1) {
    let line = state.withLock { state -> String? in
      state.done += count
      let now = console.now().milliseconds
      guard console.errorIsTerminal, now - began > 1000, now - state.shown >= 100 else { return nil }
      state.shown = now
      state.isVisible = true
      return text(state.done, now)
    }
    if let line { console.standardError(Array("\r\u{1B}[K\(line)".utf8)) }
  }

  func finish() {
    let wasVisible = state.withLock { state in
      defer { state.isVisible = false }
      return state.isVisible
    }
    if wasVisible { console.standardError(Array("\r\u{1B}[K".utf8)) }
  }

  private func text(_ done: Int, _ now: Int64) -> String {
    let rate = done * 1000 / max(1, Int(now - began))
    guard let total, total > 0 else { return "\(label): \(done) (\(rate)/s)" }
    return "\(label): \(done) of \(total) (\(done * 100 / total) %, \(rate)/s)"
  }
}
