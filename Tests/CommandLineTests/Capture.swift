import Messaging
import Synchronization

@testable import CommandLineClient

/// A console whose output is kept, and whose input is given.
final class Capture: Sendable {
  private struct State {
    var output: [UInt8] = []
    var error: [UInt8] = []
    var lines: [String]
  }
  private let state: Mutex<State>
  private let environment: [String: String]
  private let isTerminal: Bool
  private let now: @Sendable () -> Timestamp

  init(
    input: [String] = [], environment: [String: String] = [:], isTerminal: Bool = false,
    now: @escaping @Sendable () -> Timestamp = Timestamp.now
  ) {
    state = Mutex(State(lines: input))
    self.environment = environment
    self.isTerminal = isTerminal
    self.now = now
  }

  var console: Console {
    Console(
      standardOutput: { bytes in self.state.withLock { $0.output += bytes } },
      standardError: { bytes in self.state.withLock { $0.error += bytes } },
      readLine: { self.state.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() } },
      environment: environment, inputIsTerminal: isTerminal, outputIsTerminal: isTerminal,
      errorIsTerminal: isTerminal, width: 80, now: now)
  }

  var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var error: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }

  /// Runs one command line, its words separated by blanks, and returns the exit status.
  func run(_ words: [String]) async -> Int32 { await CommandLineClient.run(words, console: console) }
}
