import Foundation

/// Files that are complete or not there at all, also after the loss of power.
package enum Durable {
  /// Makes what was written to a file or a folder durable. Throws a `CocoaError` that names it.
  package static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Puts a file that is durable already in the place of another one, in one step.
  package static func replace(_ path: String, with new: String) throws {
    guard rename(new, path) == 0 else { throw failure(path) }
    try sync((path as NSString).deletingLastPathComponent)
  }

  /// Writes a file as a whole: temporary file, sync, rename, sync of the folder.
  package static func write(_ bytes: [UInt8], to path: String) throws {
    let temporary = path + ".new"
    try Data(bytes).write(to: URL(fileURLWithPath: temporary))
    try sync(temporary)
    try replace(path, with: temporary)
  }

  private static func failure(_ path: String) -> CocoaError {
    CocoaError(
      .fileWriteUnknown,
      userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: "\(path): \(String(cString: strerror(errno)))"])
  }
}
