import CommandLineClient
import Foundation
import HTTP
import Messaging

/// An installation of six processes on the real broker, each started from the products of this build. They keep their
/// ports over restarts, and their data in folders of one data directory. Its topics go with it.
final class KafkaWorld {
  static let parts = ["library", "visitorlog", "tasks", "projection", "audit", "gateway"]

  let folder = TemporaryFolder()
  var data: String { folder.path + "/data" }
  private(set) var running: [String: Process] = [:]
  private let ports: [String: Int]

  private init() throws {
    ports = try Dictionary(uniqueKeysWithValues: Self.parts.map { ($0, try FreePort.find()) })
  }

  /// Runs the body in a new world; afterwards nothing of it runs, and its topics are gone.
  static func with(_ body: (KafkaWorld) async throws -> Void) async throws {
    try await KafkaBroker.requireNoTopics()
    let world = try KafkaWorld()
    let result: Result<Void, any Error>
    do { result = .success(try await body(world)) } catch { result = .failure(error) }
    for name in Array(world.running.keys) { world.kill(name) }
    try await KafkaBroker.removeTopics()
    try result.get()
  }

  var port: Int { ports["gateway"] ?? 0 }
  var server: String { url("gateway") }
  func url(_ part: String) -> String { "http://127.0.0.1:\(ports[part] ?? 0)" }

  func start(_ parts: [String] = KafkaWorld.parts) throws { for part in parts { try start(part, []) } }

  /// Starts one part; `name` and `data` tell a second instance of a part from the first.
  func start(_ part: String, _ more: [String], name: String? = nil, port: Int? = nil, data: String? = nil) throws {
    let name = name ?? part
    let process = Process()
    process.executableURL = DaybookProcess.products.appendingPathComponent("daybook")
    process.arguments =
      ["serve", part, "--kafka", KafkaBroker.address ?? "", "--data", data ?? self.data]
      + ["--port", "\(port ?? ports[part] ?? 0)"] + more
      + (part == "gateway" ? ["--projection", url("projection"), "--audit", url("audit")] : [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try errors(of: name)
    try process.run()
    running[name] = process
  }

  private func errors(of name: String) throws -> FileHandle {
    let path = folder.path + "/\(name).stderr"
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
    guard let handle = FileHandle(forWritingAtPath: path) else { return .nullDevice }
    try handle.seekToEnd()
    return handle
  }

  /// What a process has written to standard error since its first start.
  func said(_ name: String) -> String {
    (try? String(contentsOfFile: folder.path + "/\(name).stderr", encoding: .utf8)) ?? ""
  }

  func signal(_ name: String, _ signal: Int32) {
    if let process = running[name] { Foundation.kill(process.processIdentifier, signal) }
  }

  func kill(_ name: String) {
    signal(name, SIGKILL)
    running.removeValue(forKey: name)?.waitUntilExit()
  }

  /// SIGTERM to all, and wait: the exit status and the seconds of each.
  func stop() -> [String: (status: Int32, seconds: Double)] {
    let start = ContinuousClock.now
    for process in running.values { process.terminate() }
    var ends: [String: (status: Int32, seconds: Double)] = [:]
    for (name, process) in running {
      process.waitUntilExit()
      ends[name] = (process.terminationStatus, (ContinuousClock.now - start) / .seconds(1))
    }
    running = [:]
    return ends
  }

  /// Returns once `/readyz` of each part answers 200.
  func untilReady(_ parts: [String] = KafkaWorld.parts, within limit: Duration = .seconds(60)) async throws {
    for part in parts { try await until(url(part), "/readyz", within: limit) { $0.status == 200 } }
  }

  /// Asks until the answer is as wanted; throws with the last one when the time is over.
  func until(
    _ server: String, _ path: String, within limit: Duration = .seconds(60), _ holds: (Response) -> Bool
  ) async throws {
    let client = try HTTPClient(base: server)
    defer { client.close() }
    let end = ContinuousClock.now + limit
    var last = "no answer"
    while ContinuousClock.now < end {
      if let response = try? await client.send(Request(path: path)) {
        if holds(response) { return }
        last = "\(response.status): \(String(decoding: Self.bytes(response), as: UTF8.self))"
      }
      // Nothing tells when a process of another machine will be ready: it is asked again.
      try await Task.sleep(for: .milliseconds(50))
    }
    throw DaybookProcess.Failure(description: "\(server)\(path) did not answer as wanted in time; the last was \(last)")
  }

  /// Returns once a part says these words: by itself, why it is not ready.
  func untilSays(_ part: String, _ words: String, at path: String = "/readyz") async throws {
    try await until(url(part), path) {
      ($0.status == 503 || path != "/readyz") && String(decoding: Self.bytes($0), as: UTF8.self).contains(words)
    }
  }

  /// What each running process has used of a processor, in seconds.
  var processorSeconds: [String: Double] {
    running.mapValues { process in
      // The fields behind the name, which ends with the last parenthesis: `utime` and `stime`, in hundredths.
      let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
      let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
      return fields.count > 13 ? fields[12...13].reduce(0) { $0 + (Double($1) ?? 0) } / 100 : 0
    }
  }

  /// The bytes of every file of a folder, but of locks.
  func files(_ folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where !path.hasSuffix(".lock") {
      files[path] = FileManager.default.contents(atPath: folder + "/" + path)
    }
    return files
  }

  private static func bytes(_ response: Response) -> [UInt8] {
    if case .bytes(let bytes) = response.body { bytes } else { [] }
  }

  /// The status and the body of an answer of the gateway.
  func get(_ path: String, _ query: [(String, String)] = []) async throws -> (status: Int, body: String) {
    let client = try HTTPClient(base: server)
    defer { client.close() }
    let response = try await client.send(Request(path: path, query: query.map { (name: $0.0, value: $0.1) }))
    return (response.status, String(decoding: Self.bytes(response), as: UTF8.self))
  }

  /// Every list of a workspace, and the head of the history's chains, byte for byte.
  func everythingAnswered(in workspace: String = Workspace.main) async throws -> [String: String] {
    var answers: [String: String] = [:]
    for kind in Kind.all.map(\.plural) + ["visits"] {
      answers[kind] = try await get("/v1/\(kind)", [("workspace", workspace), ("limit", "500")]).body
    }
    answers["head"] = try await get("/v1/history/verify").body
    return answers
  }

  /// Everything that holds of a stopped installation: what clients were told, the log, the databases and the rows.
  func findings(_ told: [Told], rows: Checker.Entities) async throws -> [String] {
    var findings = try await Checker(data: data, told: told, log: try await KafkaBroker.open()).findings(rows: rows)
    for part in ["library", "visitorlog", "tasks", "projection", "audit"] {
      let check = try DaybookProcess.run(
        ["rebuild", part, "--check", "--kafka", KafkaBroker.address ?? "", "--data", data])
      if check.status != 0 { findings.append("\(part): \(check.output)\(check.error)") }
    }
    return findings
  }
}
