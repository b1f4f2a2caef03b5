import Foundation
package import Messaging
import Synchronization

/// Where a command reads and writes, and what surrounds it. Tests hand in their own.
package struct Console: Sendable {
  package var standardOutput: @Sendable ([UInt8]) -> Void
  package var standardError: @Sendable ([UInt8]) -> Void
  /// The next line of standard input without its end; nil at the end. Throws where it is no text.
  package var readLine: @Sendable () throws -> String?
  /// Why standard output took not all of it; nil where it did, or where its reader went away.
  package var outputFailure: @Sendable () -> String?
  package var environment: [String: String]
  package var inputIsTerminal: Bool
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  /// Columns of the terminal.
  package var width: Int
  package var now: @Sendable () -> Timestamp

  package init(
    standardOutput: @escaping @Sendable ([UInt8]) -> Void, standardError: @escaping @Sendable ([UInt8]) -> Void,
    readLine: @escaping @Sendable () throws -> String? = { nil },
    outputFailure: @escaping @Sendable () -> String? = { nil }, environment: [String: String] = [:],
    inputIsTerminal: Bool = false, outputIsTerminal: Bool = false, errorIsTerminal: Bool = false, width: Int = 80,
    now: @escaping @Sendable () -> Timestamp = Timestamp.now
  ) {
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.readLine = readLine
    self.outputFailure = outputFailure
    self.environment = environment
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.width = width
    self.now = now
  }

  /// The console of this process.
  package static func process() -> Console {
    let input = StandardInput()
    let output = StandardOutput()
    return Console(
      standardOutput: { output.write($0) }, standardError: { _ = write($0, to: 2) },
      readLine: { try input.next() }, outputFailure: { output.failure },
      environment: ProcessInfo.processInfo.environment,
      inputIsTerminal: isatty(0) == 1, outputIsTerminal: isatty(1) == 1, errorIsTerminal: isatty(2) == 1,
      width: terminalWidth())
  }

  /// The number of the error that ended it; 0 where all was written.
  fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var at = 0
      while at < buffer.count {
        let count = Foundation.write(descriptor, buffer.baseAddress?.advanced(by: at), buffer.count - at)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return errno }
        at += count
      }
      return 0
    }
  }

  private static func terminalWidth() -> Int {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func style(_ terminal: Bool) -> Style {
    Style(isOn: terminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb")
  }
  var outputStyle: Style { style(outputIsTerminal) }
  var errorStyle: Style { style(errorIsTerminal) }

  func print(_ text: String) { standardOutput(Array((text + "\n").utf8)) }
  func write(_ text: String) { standardOutput(Array(text.utf8)) }
  /// A line on standard error.
  func say(_ text: String) { standardError(Array((text + "\n").utf8)) }
}

/// Standard output of this process: remembers the first write that failed.
private final class StandardOutput: Sendable {
  private let error = Mutex<Int32>(0)

  func write(_ bytes: [UInt8]) {
    let code = Console.write(bytes, to: 1)
    // Whoever reads no further (`| head`) has what it wanted.
    guard code != 0, code != EPIPE else { return }
    error.withLock { if $0 == 0 { $0 = code } }
  }

  var failure: String? { error.withLock { $0 == 0 ? nil : String(cString: strerror($0)) } }
}

/// Standard input of this process, a line at a time.
private final class StandardInput: Sendable {
  private let lines = Mutex<LineReader?>(nil)

  func next() throws -> String? {
    try lines.withLock { lines in
      if lines == nil { lines = LineReader(descriptor: 0, name: "standard input") }
      return try lines?.next()
    }
  }
}
