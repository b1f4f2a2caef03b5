import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit

/// The folder that holds everything of an installation.
struct DataFolder: Sendable {
  let path: String

  /// `--data`, or its default.
  init(_ invocation: Invocation) throws {
    let text = invocation.value("data") ?? Settings.defaultData(invocation.console.environment)
    guard !text.isEmpty else { throw Failure.usage("--data takes a folder") }
    path = (text as NSString).standardizingPath
  }

  init(path: String) { self.path = path }

  static let option = Option.value(
    "data", "DIR", setting: true, "the data directory (default $XDG_DATA_HOME/daybook or ~/.local/share/daybook)")

  var logFolder: String { path + "/log" }

  /// The parts that keep databases of the log.
  private static let parts = ServiceContext.owners + ["projection", "audit"]

  /// Whether databases stand in it but no log, or an empty file in its place: they would never fit a new one.
  var hasLostItsLog: Bool {
    var info = stat()
    if stat(logFolder + "/log.sqlite", &info) == 0, info.st_size > 0 { return false }
    return Self.parts.contains { part in
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(part)")) ?? []
      return files.contains { $0.hasSuffix(".sqlite") }
    }
  }

  /// Makes the folder where it is missing (for its owner alone), and refuses one that cannot be written, before any
  /// file in it is touched.
  func prepare() throws {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard isFolder.boolValue else { throw StartupError("\(path) is a file, not a folder") }
      guard access(path, W_OK | X_OK) == 0 else {
        throw StartupError("\(path) cannot be written: \(DataFolder.reason)")
      }
    } else {
      do {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw StartupError("cannot make the folder \(path): \(DataFolder.reason)")
      }
    }
    try checkLog()
  }

  private func checkLog() throws {
    guard hasLostItsLog else { return }
    let isEmpty = FileManager.default.fileExists(atPath: logFolder + "/log.sqlite")
    throw StartupError(
      "\(logFolder)/log.sqlite is \(isEmpty ? "empty" : "missing"), but the databases in \(path) belong to it; "
        + "restore it from a copy, or only read what is there with --read-only")
  }

  /// Throws where any database in it belongs to another log or another number of partitions: asked before the first
  /// missing one is made, so that a refused start leaves nothing behind. What cannot be read at all is left to its
  /// service, which refuses it.
  func check(_ installation: Installation) throws {
    for part in Self.parts {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(part)")) ?? []
      for file in files.sorted() where file.hasSuffix(".sqlite") {
        guard let db = try? Connection("\(path)/\(part)/\(file)", .reading) else { continue }
        defer { db.close() }
        do {
          _ = try installation.check(db)
        } catch let error as StartupError {
          throw error
        } catch {}
      }
    }
  }

  /// The partitions of an owner that are kept here; nil where there are none yet.
  func partitions(of part: String) -> ClosedRange<Int>? {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(part)")) ?? []
    let numbers = files.filter { $0.hasSuffix(".sqlite") }.compactMap { Int($0.dropLast(7)) }
    guard let first = numbers.min(), let last = numbers.max() else { return nil }
    return first...last
  }

  private static var reason: String { String(cString: strerror(errno)) }

  /// The log of a stopped installation, and its number of partitions. Throws where it runs, naming the process.
  func stoppedLog(holder: String) async throws -> (log: EmbeddedLog, partitionCount: Int) {
    guard FileManager.default.fileExists(atPath: path) else { throw StartupError("there is no folder \(path)") }
    guard FileManager.default.fileExists(atPath: logFolder) else {
      throw StartupError(
        "there is no log in \(path); give the data directory of a Daybook that has run, or where its log is Kafka, "
          + "name that with --kafka")
    }
    try checkLog()
    // Even a reader locks what it reads.
    guard access(logFolder, W_OK | X_OK) == 0 else {
      throw StartupError(
        "\(logFolder) cannot be written (\(DataFolder.reason)), and a log is locked while it is read; copy \(path) "
          + "to a place that can be written, and give that copy with --data")
    }
    let log = try EmbeddedLog(directory: logFolder, mode: .reading, holder: holder)
    var count: Int?
    for service in ServiceContext.owners where count == nil {
      count = try await log.partitions(of: Topic.events(service))
    }
    return (log, count ?? Settings(data: path, port: 0).partitionCount)
  }

  /// A private folder in memory where the system has one, else among the temporary files; remove it at the end.
  static func temporary() throws -> DataFolder {
    let parent = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    let path = "\(parent)/daybook-\(getpid())-\(MessageID.next().description.suffix(12))"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StartupError("cannot make the folder \(path): \(reason)")
    }
    return DataFolder(path: path)
  }
}
