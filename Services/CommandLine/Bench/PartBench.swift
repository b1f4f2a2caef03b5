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
    let port = try Self.freePort()
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

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard found else { throw Failure(description: "there is no free port") }
    return Int(in_port_t(bigEndian: address.sin_port))
  }
}
