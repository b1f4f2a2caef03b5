import Foundation
import Messaging
import ServiceKit
import Synchronization
import TestSupport

@testable import CommandLineClient

/// All of Daybook in this process, on a free port and a folder of its own, and a client of it.
struct Household: Sendable {
  let url: String
  let data: String

  /// What a command line did.
  struct Done: Sendable {
    let status: Int32
    let output: String
    let error: String
    /// The output as a document.
    var json: JSON { API.json(Array(output.utf8)) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs one command line, as it is typed.
  @discardableResult
  func run(_ line: String, input: [String] = [], isTerminal: Bool = false) async -> Done {
    let capture = Capture(
      input: input, environment: ["DAYBOOK_SERVER": url, "DAYBOOK_ZONE": "UTC", "NO_COLOR": "1", "HOME": data],
      isTerminal: isTerminal)
    let status = await capture.run(Words.split(line))
    return Done(status: status, output: capture.output, error: capture.error)
  }

  /// Starts it in `data`, runs the body, and stops it.
  static func running<T: Sendable>(
    _ data: String, options: (inout UpOptions) -> Void = { _ in }, _ body: (Household) async throws -> T
  ) async throws -> T {
    var up = UpOptions(data: DataFolder(path: data))
    up.port = 0
    options(&up)
    let (urls, url) = AsyncThrowingStream.makeStream(of: String.self)
    let everything = Everything(up, logger: .silent, signals: false)
    let task = Task {
      do {
        try await everything.run { url.yield($0) }
        url.finish()
      } catch {
        url.finish(throwing: error)
        throw error
      }
    }
    var result: Result<T, any Error>?
    do {
      for try await found in urls {
        result = .success(try await body(Household(url: found, data: data)))
        break
      }
    } catch {
      result = .failure(error)
    }
    task.cancel()
    try? await task.value
    return try (result ?? .failure(StartupError("it ended before it was ready"))).get()
  }

  /// A client with nobody to ask: for commands on a stopped data directory.
  static func stopped(_ line: String) async -> Done {
    await Household(url: "http://127.0.0.1:1", data: "/nonexistent").run(line)
  }
}
