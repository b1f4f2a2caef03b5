import Foundation
import Synchronization

/// An advisory lock (`flock`) on a file beside a database, never on the database itself: SQLite's own locks on that
/// file would be dropped with it. Held until `release` or the end of the process, kill -9 included.
package final class FileLock: Sendable {
  /// Nil once released: the number may belong to another file by then.
  private let descriptor: Mutex<Int32?>

  /// Takes the lock or throws a `StartupError` that names the holder. Makes the file and its folder where missing.
  package init(_ path: String, holder: String) throws(StartupError) {
    let folder = (path as NSString).deletingLastPathComponent
    do {
      // A household's books are for nobody else on the machine.
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StartupError(unsafe "cannot make the folder \(folder): \(String(cString: strerror(errno)))")
    }
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StartupError(unsafe "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
      close(descriptor)
      throw StartupError("\(folder) is in use by \(name.isEmpty ? "another process" : name); stop it first")
    }
    ftruncate(descriptor, 0)
    let line = Array("\(holder) (process \(getpid()))\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    self.descriptor = Mutex(descriptor)
  }

  /// Lets go of the lock; once is enough, more does nothing.
  package func release() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      flock(open, LOCK_UN)
      close(open)
      descriptor = nil
    }
  }
}
