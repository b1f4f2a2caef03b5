package import ServiceKit

/// What services write to their log, for tests that wait for a line. One waiter at a time.
package final class LogLines: Sendable {
  private let lines: AsyncStream<String>
  package let logger: Logger

  package init(level: Logger.Level = .info) {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    logger = Logger(component: "test", level: level) { line.yield(String(decoding: $0, as: UTF8.self)) }
  }

  /// Returns once a line that holds the text has come; lines before it are gone.
  package func wait(for text: String) async throws {
    for await line in lines where line.contains(text) { return }
    throw TesterError("no line held \"\(text)\"")
  }
}
