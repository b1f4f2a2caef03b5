import Foundation

/// Brings a database to this build's schema, one step a transaction, each with its bookkeeping.
package struct Migrator: Sendable {
  /// Tells Daybook's files apart (`application_id`); one number a kind of file.
  package let applicationID: Int32
  /// The steps from an empty file on; `user_version` counts those that were taken. Steps are never edited, only added.
  package let steps: [String]

  /// What to do about a damaged file.
  private let remedy: String

  package init(
    applicationID: Int32, steps: [String], remedy: String = "restore it from a copy or rebuild it from the log"
  ) {
    self.applicationID = applicationID
    self.steps = steps
    self.remedy = remedy
  }

  /// Why a file cannot be used by this build; the file is untouched.
  package enum Refusal: Error, Sendable, CustomStringConvertible {
    case newer(path: String, found: Int, known: Int)
    case foreign(path: String)
    case damaged(path: String, remedy: String)

    package var description: String {
      switch self {
      case .damaged(let path, let remedy): "\(path) is not a sound SQLite database; \(remedy)"
      case .newer(let path, let found, let known):
        "\(path) was written by a newer Daybook (schema \(found), this build knows \(known)); run the newer build"
      case .foreign(let path): "\(path) is a SQLite database, but not the Daybook file expected there"
      }
    }
  }

  /// Opens the file for writing and brings it to this build's schema; makes it where it is missing. A newer, foreign or
  /// damaged file is refused by its first bytes, before SQLite touches it.
  package func open(_ path: String) throws -> Connection {
    try checkHeader(path)
    let db = try Connection(path, .writing)
    do {
      try migrate(db)
    } catch {
      db.close()
      throw error
    }
    return db
  }

  /// Refuses a file by its header (the file format's bytes 0, 40, 60 and 68). A missing or empty file passes.
  package func checkHeader(_ path: String) throws(Refusal) {
    guard let file = FileHandle(forReadingAtPath: path) else { return }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: 100), !data.isEmpty else { return }
    let header = [UInt8](data)
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .damaged(path: path, remedy: remedy)
    }
    func number(_ at: Int) -> UInt32 { header[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    let version = Int(number(60))
    let application = Int32(bitPattern: number(68))
    // A file that was made but not set up yet has no schema (its cookie is 0): that one is ours to set up.
    let isNew = application == 0 && version == 0 && number(40) == 0
    guard application == applicationID || isNew else { throw .foreign(path: path) }
    guard version <= steps.count else { throw .newer(path: path, found: version, known: steps.count) }
  }

  /// Runs the missing steps. Throws `Refusal` before touching a newer or foreign file, `SQLiteError` otherwise.
  package func migrate(_ db: Connection) throws {
    let found = try check(db)
    guard found < steps.count else { return }
    for (index, step) in steps.enumerated().dropFirst(found) {
      try db.transaction {
        try db.execute(step)
        try db.execute("PRAGMA application_id = \(applicationID)")
        try db.execute("PRAGMA user_version = \(index + 1)")
      }
    }
  }

  /// The number of steps that the file has; refuses a newer or foreign one.
  @discardableResult
  package func check(_ db: Connection) throws -> Int {
    let application = try db.pragma("application_id")
    let version = Int(try db.pragma("user_version"))
    if application != Int64(applicationID) {
      let objects = try db.prepare("SELECT count(*) FROM sqlite_schema").first { $0.int($0.count - 1) } ?? 0
      guard application == 0, version == 0, objects == 0 else { throw Refusal.foreign(path: db.path) }
    }
    guard version <= steps.count else {
      throw Refusal.newer(path: db.path, found: version, known: steps.count)
    }
    return version
  }
}
