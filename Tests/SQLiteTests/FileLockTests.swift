import Foundation
import SQLite
import TestSupport
import Testing

struct FileLockTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a second holder is refused, naming the first and its process`() throws {
    let path = directory.file("folder/3.lock")
    let lock = try FileLock(path, holder: "tasks/3")
    let error = #expect(throws: StartupError.self) { try FileLock(path, holder: "other") }
    #expect(
      error?.description
        == "\(directory.file("folder")) is in use by tasks/3 (process \(getpid())); stop it first")
    lock.release()
    let next = try FileLock(path, holder: "other")
    // A second release must not let go of what somebody else holds by now.
    lock.release()
    let again = #expect(throws: StartupError.self) { try FileLock(path, holder: "third") }
    #expect(again?.description.contains("other") == true)
    next.release()
  }

  @Test func `a folder that cannot be made is named`() throws {
    try Data().write(to: URL(fileURLWithPath: directory.file("file")))
    let error = #expect(throws: StartupError.self) { try FileLock(directory.file("file/x/3.lock"), holder: "a") }
    #expect(error?.description.hasPrefix("cannot make the folder \(directory.file("file/x"))") == true)
  }
}
