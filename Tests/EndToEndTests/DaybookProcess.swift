import Foundation

/// A real `daybook` process, started from the products of this build. Signals may be sent from any thread.
final class DaybookProcess: @unchecked Sendable {
  /// The folder that holds the executables: where the test bundle was built.
  static let products: URL = {
    // The bundle is `<products>/<package>PackageTests.xctest`, on Linux an executable file.
    var url = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    while !FileManager.default.isExecutableFile(atPath: url.appendingPathComponent("daybook").path), url.path != "/" {
      url.deleteLastPathComponent()
    }
    return url
  }()

  struct Failure: Error, CustomStringConvertible { let description: String }

  let process = Process()
  let port: Int
  private let output = Pipe()

  /// Starts `daybook up` and returns when it has printed that it is ready.
  init(up data: String, _ more: [String] = []) throws {
    process.executableURL = Self.products.appendingPathComponent("daybook")
    process.arguments = ["up", "--data", data, "--port", "0"] + more
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: data + ".stderr") ?? FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Blocks until the line is there or the process ended.
    var text = ""
    var found: Int?
    while found == nil {
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { break }
      text += String(decoding: chunk, as: UTF8.self)
      found = text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
    }
    guard let found else {
      process.waitUntilExit()
      throw Failure(description: "daybook up ended with \(process.terminationStatus): \(text)")
    }
    port = found
  }

  var server: String { "http://127.0.0.1:\(port)" }

  /// SIGKILL, and wait.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// SIGTERM, and wait; returns the exit status.
  @discardableResult
  func stop() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs the client to its end.
  static func run(_ arguments: [String], server: String? = nil) throws -> (status: Int32, output: String, error: String)
  {
    let process = Process()
    process.executableURL = products.appendingPathComponent("daybook")
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["NO_COLOR"] = "1"
    if let server { environment["DAYBOOK_SERVER"] = server }
    process.environment = environment
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaint, as: UTF8.self)
    )
  }
}

/// A folder of its own, removed at the end.
final class TemporaryFolder {
  let path: String
  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}
