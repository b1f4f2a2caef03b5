import CCrypto
import Foundation
package import Messaging
import SQLite
import ServiceKit

/// The tokens of an installation, in `<data>/gateway/gateway.sqlite`: a name, the SHA-256 of the secret, and when it
/// was made. The secret itself is shown once and never stored. A running gateway sees changes with its next request.
package struct Tokens: Sendable {
  /// A token as it is listed.
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let created: Timestamp
  }

  package let path: String
  private let lock: String

  package init(data: String) {
    path = data + "/gateway/gateway.sqlite"
    lock = data + "/gateway/gateway.lock"
  }

  static let migrator = Migrator(
    applicationID: 0x4442_4757,
    steps: [
      """
      CREATE TABLE token (
        name TEXT PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        created INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """
    ],
    remedy: remedy)
  /// Nothing else holds the tokens.
  private static let remedy = "restore it from a copy, or remove it and make new tokens"

  /// Makes a token and returns its secret. Throws a `StartupError` for a name that is taken or is not 1 to 64 letters,
  /// digits, dots, hyphens, underscores and @.
  package func add(_ name: String) throws -> String {
    let allowed = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "._-@".utf8.contains(byte)
      }
    }
    guard allowed, (1...64).contains(name.utf8.count) else {
      throw StartupError("a token's name has 1 to 64 letters, digits, dots, hyphens, underscores and @")
    }
    let secret = "daybook_" + Digest.hex((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    try write { db in
      guard try db.prepare("SELECT 1 FROM token WHERE name = ?").first(name, row: { _ in true }) == nil else {
        throw StartupError("there is a token \(name) already; remove it first, or choose another name")
      }
      try db.prepare("INSERT INTO token VALUES (?, ?, ?)")
        .run(name, Digest.sha256(Array(secret.utf8)), Timestamp.now().milliseconds)
    }
    return secret
  }

  /// By name.
  package func list() throws -> [Entry] {
    try read { db in
      try db.prepare("SELECT name, created FROM token ORDER BY name").map {
        Entry(name: $0.string(0), created: Timestamp(milliseconds: $0.int64(1)))
      }
    } ?? []
  }

  /// Whether there was one of that name.
  package func remove(_ name: String) throws -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    var removed = 0
    try write { removed = try $0.prepare("DELETE FROM token WHERE name = ?").run(name) }
    return removed > 0
  }

  /// Name and hash of each.
  func hashes() throws -> [(name: String, hash: [UInt8])] {
    try read { try $0.prepare("SELECT name, hash FROM token ORDER BY name").map { ($0.string(0), $0.bytes(1)) } } ?? []
  }

  /// Refuses a damaged, newer or foreign file in one sentence, and leaves it as it is.
  func check() throws {
    try Self.migrator.checkHeader(path)
    _ = try hashes()
  }

  /// Nil where there is no file.
  private func read<T>(_ body: (Connection) throws -> T) throws -> T? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try Self.plainly(path) {
      let db = try Connection(path, .reading)
      defer { db.close() }
      // A file that was made and not set up yet holds no token.
      guard try Self.migrator.check(db) > 0 else { return nil }
      return try db.snapshot { try body(db) }
    }
  }

  /// The one remedy of a damaged file, wherever the damage shows.
  private static func plainly<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as SQLiteError where error.isCorrupt {
      throw Migrator.Refusal.damaged(path: path, remedy: remedy)
    }
  }

  /// For its owner alone; SQLite gives the files beside it the same mode.
  private func keepPrivate() {
    let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made >= 0 { close(made) } else { chmod(path, 0o600) }
  }

  /// The one writer is whoever holds the lock, for as long as it takes.
  private func write(_ body: (Connection) throws -> Void) throws {
    let lock = try FileLock(lock, holder: "daybook token")
    defer { lock.release() }
    try Self.migrator.checkHeader(path)
    keepPrivate()
    try Self.plainly(path) {
      let db = try Connection(path, .writing)
      defer { db.close() }
      try Self.migrator.migrate(db)
      try db.transaction { try body(db) }
    }
  }
}
