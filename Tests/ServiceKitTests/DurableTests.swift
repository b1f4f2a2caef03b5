import Foundation
import ServiceKit
import TestSupport
import Testing

struct DurableTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  @Test func `a file is written as a whole, and again`() throws {
    for text in ["first, and longer", "second"] {
      try Durable.write(Array(text.utf8), to: folder.file("a"))
      #expect(FileManager.default.contents(atPath: folder.file("a")) == Data(text.utf8))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
  }

  @Test func `what cannot be written is said in one plain sentence`() throws {
    let path = folder.file("none/a")
    #expect {
      try Durable.write([1], to: path)
    } throws: {
      "\($0)" == "cannot write \(path): No such file or directory"
    }
    #expect {
      try Durable.write(Array(repeating: 0, count: 100), to: "/dev/full/a")
    } throws: {
      "\($0)" == "cannot write /dev/full/a: Not a directory"
    }
  }
}
