import HTTP
import Messaging
import SQLite
import ServiceKit

extension AuditService {
  /// `GET /v1/history`: what happened, oldest first (`sort=-time`: newest first), of an entity or all, page by page.
  func history(_ request: Request) async throws -> Response {
    try request.allow([
      "workspace", "entity", "actor", "type", "command", "from", "to", "sort", "limit", "cursor", "after",
    ])
    let page = try HistoryPage(request)
    try await follower.waitAfter(request)
    return try await follower.read { db in
      var filter = try HistoryFilter(request, db, everyWorkspace: false)
      if let text = try request.value("entity") {
        filter.entity = try EntityResolver.resolve(text, workspace: filter.workspace ?? Workspace.main, db)
      }
      var records = try filter.page(
        db, behind: page.cursor, newestFirst: page.isNewestFirst, limit: page.limit + 1)
      let hasMore = records.count > page.limit
      if hasMore { records.removeLast() }
      return .json([
        "items": .array(records.map(\.historyJSON)),
        "next": hasMore ? JSON(records.last?.place.cursor) : .null,
        "count": JSON(try filter.count(db)), "asOf": try self.asOf(db, filter.workspace),
      ])
    }
  }

  /// Where each service's partition of the workspace stands in this answer.
  private func asOf(_ db: Connection, _ workspace: String?) throws -> JSON {
    let positions = try FollowerPosition.all(db)
    let plan = follower.plan
    let number = Workspace.partition(of: workspace ?? Workspace.main, count: plan.partitionCount)
    return .object(
      JSONObject(
        unique: plan.services.sorted().map { service in
          let partition = ServicePartition(service, number)
          return .init(key: partition.description, value: .integer(positions[partition]?.sequence ?? 0))
        }))
  }

  /// `GET /v1/commands/{id}`: the first decision of that command in that workspace, as its answer, with its status.
  func decision(_ request: Request) async throws -> Response {
    try request.allow(["workspace", "after"])
    guard let id = MessageID(request.parameters["id"] ?? "") else {
      throw Problem.invalid("id", "must be a UUID")
    }
    try await follower.waitAfter(request)
    return try await follower.read { db in
      var filter = try HistoryFilter(request, db, everyWorkspace: false)
      filter.command = id.description
      filter.types = [Message.Kind.decided]
      guard let record = try filter.page(db, behind: nil, limit: 1).first, let decision = Decision(record.data) else {
        throw Problem.notFound("decision of command", id.description)
      }
      var response = Response.json(decision.answer, status: decision.httpStatus)
      if !decision.isAccepted { response.headers = [("content-type", "application/problem+json")] }
      return response
    }
  }
}

/// The paging of a history request.
private struct HistoryPage {
  let isNewestFirst: Bool
  let limit: Int
  let cursor: HistoryPlace?

  init(_ request: Request) throws(Problem) {
    switch try request.value("sort") ?? "time" {
    case "time", "+time": isNewestFirst = false
    case "-time": isNewestFirst = true
    default: throw .invalid("sort", "must be time or -time")
    }
    let text = try request.value("limit") ?? "100"
    guard let limit = Int(text), (1...1000).contains(limit) else {
      throw .invalid("limit", "must be a number from 1 to 1000")
    }
    self.limit = limit
    let cursor = try request.value("cursor")
    self.cursor = cursor.flatMap(HistoryPlace.init(cursor:))
    guard cursor == nil || self.cursor != nil else { throw .invalid("cursor", "must be the \"next\" of an answer") }
  }
}
