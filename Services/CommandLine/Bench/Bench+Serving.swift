import Foundation
import HTTP
import Messaging

/// A `daybook up` of its own process: its start, its answers over HTTP, and what it takes while nobody asks.
struct ServingBench {
  let data: String
  let executable: String

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Runs the body with the port of a running Daybook and its process id, then stops it. `ready` is the time from the
  /// start of the process to the line that says it is ready.
  func serving<T>(_ body: (_ port: Int, _ process: Int32) async throws -> T) async throws -> (ready: Double, result: T)
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = ["up", "--data", data, "--port", "0"]
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    var text = ""
    var port: Int?
    while port == nil {
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw Failure(description: "daybook up did not start") }
      text += String(decoding: chunk, as: UTF8.self)
      port = text.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
    }
    let ready = (ContinuousClock.now - start).seconds
    do {
      let result = try await body(port ?? 0, process.processIdentifier)
      process.terminate()
      process.waitUntilExit()
      return (ready, result)
    } catch {
      process.terminate()
      process.waitUntilExit()
      throw error
    }
  }

  /// Commands a second over so many keep-alive connections, each waiting for its answer before the next.
  static func throughput(port: Int, connections: Int, count: Int) throws -> Double {
    let open = try (0..<connections).map { _ in try LoadConnection(port: port) }
    let requests = (0..<count).map { open[0].posting(body($0)) }
    let seconds = try ContinuousClock().measure { try LoadConnection.send(requests, over: open) }.seconds
    return Double(count) / seconds
  }

  /// Seconds of each of `count` commands on one connection, sorted.
  static func roundTrips(port: Int, count: Int) throws -> [Double] {
    let connection = try LoadConnection(port: port)
    return try (0..<count).map { index in
      try ContinuousClock().measure {
        let status = try connection.post(body(index))
        guard status == 200 else { throw Failure(description: "a command was answered \(status)") }
      }.seconds
    }.sorted()
  }

  /// Seconds of each request in turn on one connection, sorted.
  static func reads(port: Int, _ paths: [String]) throws -> [Double] {
    let connection = try LoadConnection(port: port)
    return try paths.map { path in
      try ContinuousClock().measure {
        let status = try connection.get(path)
        guard status == 200 else { throw Failure(description: "\(path) was answered \(status)") }
      }.seconds
    }.sorted()
  }

  private static func body(_ index: Int) -> String {
    JSON.object(["type": "tasks.item.add.v1", "data": BenchWords.item(index)]).text
  }

  /// Processor seconds that a process has used, user and system.
  static func processorSeconds(_ process: Int32) -> Double {
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Resident memory in MiB: now, or with `VmHWM` the most that it was.
  static func memoryMiB(_ process: Int32, _ field: String = "VmRSS") -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
  }
}

extension ServingBench {
  /// Asks for what the last record changed, and so waits until every follower has folded it.
  static func untilCaughtUp(port: Int) throws {
    let connection = try LoadConnection(port: port)
    guard try connection.post("{\"type\":\"tasks.project.create.v1\",\"data\":{\"name\":\"Last\"}}") == 200,
      let answer = try? JSON(parsing: Array(connection.body)), let receipt = answer["receipt"]?.string
    else { throw Failure(description: "the last command was not accepted") }
    for path in ["/v1/projects?limit=1&after=\(receipt)", "/v1/history?limit=1&after=\(receipt)"] {
      // 504 says that it is still behind: ask again, which waits again.
      while try connection.get(path) == 504 {}
    }
  }
}
