import Foundation
import Messaging
import TestSupport
import Testing

@testable import CommandLineClient

@Suite(.timeLimit(.minutes(2))) struct StartTests {
  /// Name and content of every file that is no lock.
  private func content(_ folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
      let file = "\(folder)/\(path)"
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue,
        !path.hasSuffix(".lock")
      else { continue }
      found[path] = try Data(contentsOf: URL(filePath: file))
    }
    return found
  }

  private func madeFolder() async throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      await daybook.run("item add 'Buy milk' --tag urgent")
      await daybook.run("book add Dune")
    }
    return folder
  }

  private func expectRefused(_ folder: TemporaryDirectory, _ more: String = "", says: String) async throws {
    let before = try content(folder.path)
    let done = await Household.stopped("up --port 0 --data \(folder.path) \(more)")
    #expect(done.status == 1)
    #expect(done.error.contains(says), "\(done.error)")
    #expect(done.error.split(separator: "\n").count == 1)
    #expect(done.output.isEmpty)
    #expect(try content(folder.path) == before)
  }

  @Test func `another partition count is refused with both numbers, the files untouched`() async throws {
    let folder = try await madeFolder()
    try await expectRefused(folder, "--partition-count 8", says: "made for 4 partitions, but 8 are asked for")
  }

  @Test(arguments: [
    "log/log.sqlite", "tasks/2.sqlite", "visitorlog/0.sqlite", "projection/projection.sqlite", "audit/audit.sqlite",
    "gateway/gateway.sqlite",
  ])
  func `a damaged file is refused, all files untouched`(file: String) async throws {
    let folder = try await madeFolder()
    #expect(await Household.stopped("token add phone --data \(folder.path)").status == 0)
    let url = URL(filePath: "\(folder.path)/\(file)")
    var data = try Data(contentsOf: url)
    data.replaceSubrange(0..<16, with: Data("no database here".utf8))
    try data.write(to: url)
    try await expectRefused(folder, says: file)
  }

  @Test(arguments: ["log/log.sqlite", "library/1.sqlite", "projection/projection.sqlite", "audit/audit.sqlite"])
  func `a file of a newer build is refused, all files untouched`(file: String) async throws {
    let folder = try await madeFolder()
    let url = URL(filePath: "\(folder.path)/\(file)")
    var data = try Data(contentsOf: url)
    data[60] = 0x10
    try data.write(to: url)
    try await expectRefused(folder, says: "newer")
  }

  @Test func `databases without their log are refused, and another log too`() async throws {
    let folder = try await madeFolder()
    let other = try await madeFolder()
    let log = folder.path + "/log/log.sqlite"
    try FileManager.default.removeItem(atPath: log)
    try await expectRefused(folder, says: "is missing, but the databases")
    // A read model alone, as a replay leaves it, belongs to a log too.
    let replayed = try await madeFolder()
    for part in try FileManager.default.contentsOfDirectory(atPath: replayed.path) where part != "projection" {
      try FileManager.default.removeItem(atPath: replayed.path + "/" + part)
    }
    try await expectRefused(replayed, says: "is missing, but the databases")
    #expect(try FileManager.default.contentsOfDirectory(atPath: replayed.path) == ["projection"])
    try Data().write(to: URL(filePath: log))
    try await expectRefused(folder, says: "is empty, but the databases")
    let check = await Household.stopped("rebuild tasks --check --data \(folder.path)")
    #expect(check.status == 1 && check.error.contains("is empty, but the databases"))
    try FileManager.default.removeItem(atPath: log)
    try FileManager.default.copyItem(atPath: other.path + "/log/log.sqlite", toPath: log)
    try await expectRefused(folder, says: "belongs to the log")
  }

  @Test func `a folder in use, a taken port and a folder that cannot be made are refused`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path + "/one") { daybook in
      let held = await Household.stopped("up --port 0 --data \(folder.path)/one")
      #expect(held.status == 1)
      #expect(held.error.contains("in use by daybook up (process"))
      let port = daybook.url.split(separator: ":").last ?? ""
      let taken = await Household.stopped("up --port \(port) --data \(folder.path)/two")
      #expect(taken.status == 1)
      #expect(taken.error.contains("taken"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/two"))
      for part in ["tasks", "projection", "audit"] {
        let rebuild = await Household.stopped("rebuild \(part) --data \(folder.path)/one")
        #expect(rebuild.status == 1)
        #expect(rebuild.error.contains("daybook up (process"))
      }
    }
    let open = await Household.stopped("up --port 0 --host 0.0.0.0 --data \(folder.path)/three")
    #expect(open.status == 1 && open.error.contains("token add"))
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/three"))
    #expect(await Household.stopped("up --port 0 --data /proc/none/daybook").status == 1)
    #expect(await Household.stopped("up --port 0 --data /dev/null").status == 1)
    #expect(await Household.stopped("up --port 0 --read-only --data \(folder.path)/none").status == 1)
    #expect(await Household.stopped("up --read-only --memory").status == 2)
    #expect(await Household.stopped("serve tasks --data \(folder.path)/one").error.contains("daybook up"))
  }

  @Test func `a part is built anew from the log, and a row that was altered is named with status 4`() async throws {
    let folder = try await madeFolder()
    for part in ["library", "visitorlog", "tasks", "projection", "audit"] {
      #expect(await Household.stopped("rebuild \(part) --data \(folder.path) --check").status == 0)
    }
    #expect(await Household.stopped("history verify --data \(folder.path)").status == 0)
    for part in ["tasks", "audit"] {
      let service = "\(folder.path)/\(part)"
      for name in try FileManager.default.contentsOfDirectory(atPath: service) where name.hasSuffix(".sqlite") {
        let url = URL(filePath: "\(service)/\(name)")
        var data = try Data(contentsOf: url)
        while let range = data.range(of: Data("Buy milk".utf8)) {
          data.replaceSubrange(range, with: Data("Buy silk".utf8))
        }
        try data.write(to: url)
      }
    }
    let verify = await Household.stopped("history verify --data \(folder.path)")
    #expect(verify.status == 4)
    #expect(verify.error.contains("tasks/3/"))
    let check = await Household.stopped("rebuild tasks --check --data \(folder.path)")
    #expect(check.status == 4)
    #expect(check.error.contains("Buy milk") && check.error.contains("title"))
    #expect(await Household.stopped("rebuild tasks --data \(folder.path)").status == 0)
    #expect(await Household.stopped("rebuild tasks --check --data \(folder.path)").status == 0)
    #expect(await Household.stopped("rebuild nothing --data \(folder.path)").status == 2)
  }
}
