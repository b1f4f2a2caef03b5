package import HTTP
import Messaging
package import ServiceKit
import SQLite

/// The projection: follows the three event topics into the read model, and answers every read and search from it.
package final class ProjectionService: Service {
  /// Its folder, its file, its name in logs and status.
  package static let name = "projection"

  /// Where answers come from.
  enum Source: Sendable {
    case following(Follower<ProjectionEffect>)
    /// A read model that nobody writes: a replayed one.
    case kept(KeptReadModel)
  }

  let source: Source
  /// How long an answer waits for the receipts in `after=`.
  let patience: Duration
  private let logger: Logger

  /// Follows the log of the context into `<data>/projection/projection.sqlite`.
  package init(_ context: ServiceContext, patience: Duration = .seconds(5)) {
    source = .following(Self.follower(context))
    self.patience = patience
    logger = context.logger.named(Self.name)
  }

  /// Answers from the read model in a data directory as it stands, without a log, and writes nothing. `prepare` throws
  /// a `StartupError` where there is none, or one that this build would fold otherwise.
  package init(readOnly data: String, health: Health, logger: Logger) {
    source = .kept(KeptReadModel(data: data, health: health))
    patience = .zero
    self.logger = logger.named(Self.name)
  }

  package var name: String { Self.name }

  package func prepare() async throws {
    switch source {
    case .following(let follower): try await follower.prepare()
    case .kept(let kept): try kept.prepare()
    }
  }

  package func run() async throws {
    switch source {
    case .following(let follower): try await follower.run()
    case .kept(let kept):
      try kept.prepare()
      await untilCancelled()
      kept.close()
    }
  }

  /// `GET /v1/…`: lists, single entities, search, workspaces and status.
  package var router: Router {
    let logger = logger
    var router = Router { error, request in
      logger.log(.error, "a read failed", ["route": .string(request.route), "error": .string("\(error)")])
    }
    addRoutes(to: &router)
    return router
  }

  static func follower(_ context: ServiceContext) -> Follower<ProjectionEffect> {
    let count = context.partitionCount
    return Follower(plan(context.data, partitionCount: count), context: context) { db in
      try ProjectionEffect(db, partitionCount: count)
    }
  }

  /// A search looks into rows all over the file.
  static let mapped: Int64 = 256 << 20

  static func plan(_ data: String, partitionCount: Int) -> FollowerPlan {
    var plan = FollowerPlan(name, data: data, partitionCount: partitionCount)
    plan.mapped = mapped
    return plan
  }
}
