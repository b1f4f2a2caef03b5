import Foundation
package import Messaging

/// Where a command reads and writes, and what surrounds it. Tests hand in their own.
package struct Console: Sendable {
  package var standardOutput: @Sendable ([UInt8]) -> Void
  package var standardError: @Sendable ([UInt8]) -> Void
  /// The next line of standard input without its end; nil at the end.
  package var readLine: @Sendable () -> String?
  package var environment: [String: String]
  package var inputIsTerminal: Bool
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  /// Columns of the terminal.
  package var width: Int
  package var now: @Sendable () -> Timestamp

  package init(
    standardOutput: @escaping @Sendable ([UInt8]) -> Void, standardError: @escaping @Sendable ([UInt8]) -> Void,
    readLine: @escaping @Sendable () -> String? = { nil }, environment: [String: String] = [:],
    inputIsTerminal: Bool = false, outputIsTerminal: Bool = false, errorIsTerminal: Bool = false, width: Int = 80,
    now: @escaping @Sendable () -> Timestamp = Timestamp.now
  ) {
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.readLine = readLine
    self.environment = environment
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.width = width
    self.now = now
  }

  /// The console of this process.
  package static func process() -> Console {
    Console(
      standardOutput: { write($0, to: 1) }, standardError: { write($0, to: 2) },
      readLine: { Swift.readLine(strippingNewline: true) }, environment: ProcessInfo.processInfo.environment,
      inputIsTerminal: isatty(0) == 1, outputIsTerminal: isatty(1) == 1, errorIsTerminal: isatty(2) == 1,
      width: terminalWidth())
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
      var at = 0
      while at < buffer.count {
        let count = Foundation.write(descriptor, buffer.baseAddress?.advanced(by: at), buffer.count - at)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return }
        at += count
      }
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
