import Foundation

/// A part of Daybook in a process of its own that has read nothing yet.
struct PartBench {
  let folder: String
  let flags: [String]

  struct Result {
    /// From the start of the process until it is ready: it has read all that stood in the log.
    let seconds: Double
    /// The most memory that was resident at once.
    let mostMiB: Double
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  func untilReady(_ part: String) async throws -> Result {
    let port = try FreePort.find()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.arguments = ["serve", part, "--data", "\(folder)/parts", "--port", "\(port)"] + flags
    process.standardInput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    while (try? LoadConnection(port: port).get("/readyz")) != 200 {
      guard process.isRunning else { throw Failure(description: "daybook serve \(part) ended before it was ready") }
      try await Task.sleep(for: .milliseconds(20))
    }
    return Result(
      seconds: (ContinuousClock.now - start).seconds,
      mostMiB: ServingBench.memoryMiB(process.processIdentifier, "VmHWM"))
  }
}
