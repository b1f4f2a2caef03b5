import Foundation
package import Messaging
import Synchronization

/// One JSON object a line on standard error. Payload text never appears above `debug`.
package struct Logger: Sendable {
  package enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warning, error
    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    package init?(_ name: String) {
      guard let level = Level.allCases.first(where: { "\($0)" == name }) else { return nil }
      self = level
    }
  }

  private let component: String
  private let level: Level
  private let write: @Sendable ([UInt8]) -> Void

  /// `write` gets whole lines and may be called from any thread.
  package init(
    component: String, level: Level = .notice, write: @escaping @Sendable ([UInt8]) -> Void = Logger.standardError
  ) {
    self.component = component
    self.level = level
    self.write = write
  }

  /// The same logger under another component's name.
  package func named(_ component: String) -> Logger { Logger(component: component, level: level, write: write) }

  package func log(_ level: Level, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> JSONObject = [:])
  {
    guard level >= self.level else { return }
    var line: JSONObject = [
      "time": JSON(Timestamp.now()), "level": .string("\(level)"), "component": .string(component),
      "message": .string(message()),
    ]
    for member in fields().members { line[member.key] = member.value }
    write(JSON.object(line).bytes + [0x0a])
  }

  /// One `write(2)` a line, so that lines of several threads never mix.
  package static let standardError: @Sendable ([UInt8]) -> Void = { line in
    line.withUnsafeBytes { _ = Foundation.write(2, $0.baseAddress, $0.count) }
  }
  /// Says nothing: for tests.
  package static let silent = Logger(component: "", level: .error, write: { _ in })
}
