import Foundation
import Messaging
import SQLite
import ServiceKit
import Synchronization

/// A read model that nobody writes, such as a replayed one.
final class KeptReadModel: Sendable {
  private let path: String
  private let health: Health
  let readers: ReaderPool
  private let known = Mutex<Installation?>(nil)

  init(data: String, health: Health) {
    path = ProjectionService.plan(data, partitionCount: 1).path
    self.health = health
    readers = ReaderPool(path, mapped: ProjectionService.mapped)
    health.set(ProjectionService.name, .starting("has not started"))
  }

  /// Looks whether the file can be answered from; once.
  func prepare() throws {
    guard known.withLock({ $0 }) == nil else { return }
    guard FileManager.default.fileExists(atPath: path) else {
      throw StartupError("there is no read model at \(path); make one with \"daybook replay --into DIR\"")
    }
    try ProjectionEffect.migrator.checkHeader(path)
    let installation = try readers.withConnection { try Self.installation(of: $0) }
    known.withLock { $0 = installation }
    health.set(ProjectionService.name, .ready)
  }

  /// The installation of a read model that this build folds in the same way; throws a `StartupError` for another.
  static func installation(of db: Connection) throws -> Installation {
    let migrator = ProjectionEffect.migrator
    guard try migrator.check(db) == migrator.steps.count,
      try db.prepare("SELECT version FROM follower_fold").first(row: { $0.int(0) }) == ProjectionEffect.foldVersion,
      let installation = try Installation.read(db)
    else {
      throw StartupError("\(db.path) was folded by another build of Daybook; rebuild or replay it with this one")
    }
    return installation
  }

  func close() {
    readers.close()
    health.set(ProjectionService.name, .notReady("is stopped"))
  }

  /// Throws the problem `starting` (503) before `prepare`.
  func partitionCount() throws(Problem) -> Int {
    guard let known = known.withLock({ $0 }) else {
      throw Problem(code: "starting", status: 503, detail: "The projection is not ready yet; ask again shortly.")
    }
    return known.partitionCount
  }

  /// As the follower's status: nothing lags where nothing follows.
  func statusJSON() async throws -> JSON {
    let positions = try await readers.read { db in try FollowerPosition.all(db) }
    var status = health.json.object ?? [:]
    status["positions"] = .array(
      positions.sorted { $0.key < $1.key }.map { partition, position in
        [
          "service": .string(partition.service), "partition": JSON(partition.partition),
          "offset": .integer(position.offset), "end": .integer(position.offset),
          "sequence": .integer(position.sequence), "epoch": .integer(position.epoch), "lag": 0,
        ]
      })
    return .object(status)
  }
}
