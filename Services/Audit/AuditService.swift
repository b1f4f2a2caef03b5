import EventLog
import Foundation
package import HTTP
import Messaging
import SQLite
package import ServiceKit

/// The history of everything: folds all event topics into an append-only, hash-chained file and answers questions
/// about it.
package final class AuditService: Service {
  package let follower: Follower<AuditEffect>
  private let logger: Logger

  package init(_ context: ServiceContext, services: [String] = ServiceContext.owners) {
    logger = context.logger.named("audit")
    let plan = Self.plan(data: context.data, partitionCount: context.partitionCount, services: services)
    let headPath = AuditHead.path(in: plan.folder)
    let health = context.health
    let lines = TroubleLog(logger)
    follower = Follower(plan, context: context) { db in
      try AuditEffect(db, headPath: headPath) { trouble in
        health.set("audit head", trouble.map(Health.State.notReady) ?? .ready)
        if let trouble { lines.met(.error, trouble) } else { lines.over("the head file is written again") }
      }
    }
  }

  package var name: String { follower.name }
  package func prepare() async throws { try await follower.prepare() }
  package func run() async throws { try await follower.run() }

  static func plan(
    data: String, partitionCount: Int, services: [String] = ServiceContext.owners
  ) -> FollowerPlan {
    FollowerPlan("audit", data: data, services: services, partitionCount: partitionCount)
  }

  /// Verifies the running audit: in one snapshot, against the head file as it was just before it.
  package func verify() async throws -> AuditVerification {
    let path = AuditHead.path(in: follower.plan.folder)
    let head: AuditHead?
    do {
      head = try AuditHead.read(path)
    } catch {
      return AuditVerification(fault: AuditFault(reason: "\(error)"))
    }
    let progress = follower.progress
    return try await follower.read { try AuditVerifier.verify($0, head: head) { progress.isOpen } }
  }

  /// Every route of the audit: history, events, verification, decisions, positions, status.
  package var router: Router {
    let log = logger
    var router = Router { error, request in
      log.log(.error, "a request failed: \(error)", ["route": .string(request.route)])
    }
    router.add(follower.routes)
    router.on("GET", "/v1/history") { try await self.history($0) }
    router.on("GET", "/v1/history/verify") { request in
      try request.allow(["workspace", "after"])
      try await self.follower.waitAfter(request)
      return .json(try await self.verify().json)
    }
    router.on("GET", "/v1/events") { try await self.events($0) }
    router.on("GET", "/v1/commands/{id}") { try await self.decision($0) }
    return router
  }
}
