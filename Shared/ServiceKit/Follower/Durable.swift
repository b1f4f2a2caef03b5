import Foundation

/// Files that are complete or not there at all, also after the loss of power.
package enum Durable {
  /// Why a file could not be written, in one sentence that names it.
  package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// Takes the reason from `errno`.
    fileprivate init(_ path: String) { description = "cannot write \(path): \(String(cString: strerror(errno)))" }
  }

  /// Makes what was written to a file or a folder durable.
  package static func sync(_ path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure(path) }
  }

  /// Puts a file that is durable already in the place of another one, in one step.
  package static func replace(_ path: String, with new: String) throws(Failure) {
    guard rename(new, path) == 0 else { throw Failure(path) }
    try sync((path as NSString).deletingLastPathComponent)
  }

  /// Writes a file as a whole: temporary file, sync, rename, sync of the folder.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(path) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(path) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { throw Failure(path) }
    try replace(path, with: temporary)
  }
}
