import Foundation

/// The lines of a file or of standard input, read as they are asked for.
final class LineReader {
  private let file: UnsafeMutablePointer<FILE>?
  private let name: String
  private let console: Console?
  private var number = 0

  /// Throws where the file cannot be read. `-` is standard input.
  init(_ path: String, _ console: Console) throws {
    name = path
    guard path != "-" else {
      self.console = console
      file = nil
      return
    }
    self.console = nil
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure.usage("\(path) is a folder; a file with one command a line is read")
    }
    file = fopen(path, "re")
    if file == nil { throw Failure.usage("cannot read \(path): \(String(cString: strerror(errno)))") }
  }

  /// Of an open file, which is called by that name.
  init(descriptor: Int32, name: String) {
    self.name = name
    console = nil
    file = fdopen(descriptor, "r")
  }

  deinit { if let file { fclose(file) } }

  /// The next line without its end; nil at the end. Throws where a line is not UTF-8: nothing is altered silently.
  func next() throws -> String? {
    guard let file else { return try console?.readLine() }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    var length = getline(&line, &capacity, file)
    guard length >= 0, let line else {
      if ferror(file) != 0 { throw Failure.refused("cannot read \(name): \(String(cString: strerror(errno)))") }
      return nil
    }
    number += 1
    if length > 0, line[length - 1] == 0x0A { length -= 1 }
    if length > 0, line[length - 1] == 0x0D { length -= 1 }
    guard let text = String(validating: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self) else {
      throw Failure.usage("line \(number) of \(name) is not UTF-8")
    }
    return text
  }
}
