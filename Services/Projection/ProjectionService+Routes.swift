import HTTP
import Messaging
import SQLite
import ServiceKit

extension ProjectionService {
  func addRoutes(to router: inout Router) {
    for kind in Kind.allCases {
      router.on("GET", "/v1/\(kind.plural)") { request in
        let query = try ListQuery(request, .of(kind))
        try await self.wait(request, for: [kind.service])
        return try await self.answer { try $0.list(query) }
      }
      router.on("GET", "/v1/\(kind.plural)/{id}") { request in
        try request.allow(["workspace", "after"])
        let workspace = try request.workspace()
        let text = request.parameters["id"] ?? ""
        guard let id = MessageID(text) else { throw Problem.invalid("id", "must be a UUID") }
        try await self.wait(request, for: [kind.service])
        return try await self.answer { model in
          guard let entity = try model.entity(kind, id, in: workspace) else {
            throw Problem.notFound(kind.name, id.description)
          }
          return entity
        }
      }
    }
    router.on("GET", "/v1/search") { request in
      let query = try SearchQuery(request)
      try await self.wait(request, for: ServiceContext.owners)
      return try await self.answer { try $0.search(query) }
    }
    router.on("GET", "/v1/workspaces") { request in
      let query = try WorkspacesQuery(request)
      try await self.wait(request, for: ServiceContext.owners)
      return try await self.answer { try $0.workspaces(query) }
    }
    router.on("GET", "/v1/status") { request in
      try request.allow([])
      return switch self.source {
      case .following(let follower): .json(await follower.statusJSON())
      case .kept(let kept): .json(try await kept.statusJSON())
      }
    }
  }

  /// Runs the body in one snapshot of the read model; what it writes is the answer.
  private func answer(_ body: @escaping @Sendable (ReadModel) throws -> [UInt8]) async throws -> Response {
    let bytes: [UInt8]
    switch source {
    case .following(let follower):
      let count = follower.plan.partitionCount
      bytes = try await follower.read { try body(ReadModel(db: $0, partitionCount: count)) }
    case .kept(let kept):
      let count = try kept.partitionCount()
      bytes = try await kept.readers.read { try body(ReadModel(db: $0, partitionCount: count)) }
    }
    return .json(bytes: bytes)
  }

  /// Waits for the receipts in `after=` (repeated; `none` is no receipt) that the answer depends on. Throws `invalid`
  /// for what is no receipt, `behind` (504), naming what lags, where they are not folded in time.
  private func wait(_ request: Request, for services: [String]) async throws {
    var receipts: [Receipt] = []
    for value in request.values("after") where value != "none" {
      guard let receipt = Receipt(value), ServiceContext.owners.contains(receipt.service) else {
        throw Problem.invalid("after", "must be a receipt such as tasks/3/42, or none")
      }
      if services.contains(receipt.service) { receipts.append(receipt) }
    }
    guard !receipts.isEmpty else { return }
    switch source {
    case .following(let follower): try await follower.progress.wait(for: receipts, timeout: patience)
    case .kept(let kept):
      let wanted = receipts
      let positions = try await kept.readers.read { try FollowerPosition.all($0) }
      let missing = wanted.filter { (positions[$0.servicePartition]?.sequence ?? 0) < $0.sequence }
      guard missing.isEmpty else {
        throw Problem(
          code: "behind", status: 504,
          detail: "This read model ends before \(missing.map(\.description).joined(separator: ", ")).",
          members: ["lagging": .array(missing.map { .string($0.description) })])
      }
    }
  }
}
