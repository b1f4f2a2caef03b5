package import SQLite

/// The files of one partition of one service: `<data>/<service>/<partition>.sqlite`, and its lock beside it.
package struct OwnerFile: Sendable {
  package let path: String
  package let lockPath: String
  package let installation: Installation

  /// `service` names the folder.
  package init(service: String, partition: Int, context: ServiceContext) {
    path = "\(context.data)/\(service)/\(partition).sqlite"
    lockPath = "\(context.data)/\(service)/\(partition).lock"
    installation = Installation(logID: context.log.id, partitionCount: context.partitionCount)
  }

  /// The kit's step, then the domain's.
  package static func migrator<D: Domain>(_: D.Type) -> Migrator {
    Migrator(applicationID: OwnerSchema.applicationID, steps: [OwnerSchema.step] + D.schema)
  }

  /// Opens the file for its one writer, made where missing, and brings it to this build's schema. Refuses a newer or
  /// foreign file, another log and another partition count, and leaves such a file as it is.
  package func open<D: Domain>(_ domain: D.Type, at other: String? = nil) throws -> Connection {
    let migrator = Self.migrator(domain)
    try migrator.checkHeader(other ?? path)
    let db = try Connection(other ?? path, .writing)
    do {
      if try migrator.check(db) > 0, try Installation.read(db) != nil { try installation.adopt(db) }
      try migrator.migrate(db)
      try db.transaction { try installation.adopt(db) }
      // Pages that batch after batch writes again (the ends of the outbox and of the indexes) are copied back less
      // often: at 16 MiB of write-ahead log. What a savepoint would undo is kept in memory, not in a temporary file.
      try db.execute("PRAGMA wal_autocheckpoint=4000")
      try db.execute("PRAGMA temp_store=MEMORY")
      try db.execute("PRAGMA cache_size=-8192")
      return db
    } catch {
      db.close()
      throw error
    }
  }

  /// A database in memory with the schema of an owner: for tests and simulations.
  package static func inMemory<D: Domain>(_ domain: D.Type) throws -> Connection {
    let db = try Connection("", .memory)
    try migrator(domain).migrate(db)
    return db
  }
}
