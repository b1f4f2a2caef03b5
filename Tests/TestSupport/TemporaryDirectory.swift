import Foundation

/// A fresh folder for one test, gone with the value.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "daybook-test-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of something inside it.
  package func file(_ name: String) -> String { path + "/" + name }
}
