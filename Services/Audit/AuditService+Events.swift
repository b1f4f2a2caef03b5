import HTTP
import Messaging
import SQLite
import ServiceKit

extension AuditService {
  /// `GET /v1/events`: the valid records as NDJSON in the order of replay; with `follow=true` then what comes, as it
  /// comes, until the client goes or the process stops.
  func events(_ request: Request) async throws -> Response {
    try request.allow(["workspace", "from", "to", "type", "follow", "after"])
    let follow: Bool
    switch try request.value("follow") ?? "false" {
    case "true": follow = true
    case "false": follow = false
    default: throw Problem.invalid("follow", "must be true or false")
    }
    try await follower.waitAfter(request)
    let (filter, last) = try await follower.read { db in
      (try HistoryFilter(request, db, everyWorkspace: true), try HistoryFilter.lastArrival(db))
    }
    let pages = EventPages(follower: follower, filter: filter, last: last, follow: follow)
    return Response(
      headers: [("content-type", "application/x-ndjson"), ("cache-control", "no-store")],
      body: .stream(AsyncThrowingStream { try await pages.next() }))
  }
}

/// Pages of NDJSON, read as they are asked for: first what was there, in the order of replay, then what arrived since.
private actor EventPages {
  private static let size = 200

  private let follower: Follower<AuditEffect>
  private let filter: HistoryFilter
  private let follow: Bool
  /// What had arrived when the first part was begun; then, up to where arrivals were told.
  private var last: Int64
  private var place: HistoryPlace?
  private var isLive = false

  init(follower: Follower<AuditEffect>, filter: HistoryFilter, last: Int64, follow: Bool) {
    self.follower = follower
    self.filter = filter
    self.last = last
    self.follow = follow
  }

  /// Nil at the end; also where the audit stops meanwhile.
  func next() async throws -> [UInt8]? {
    do {
      return try await nextPage()
    } catch is ReaderPool.Closed {
      return nil
    }
  }

  private func nextPage() async throws -> [UInt8]? {
    if !isLive {
      let (filter, place, last) = (filter, place, last)
      let records = try await follower.read {
        try filter.page($0, behind: place, upToArrival: last, limit: Self.size)
      }
      self.place = records.last?.place ?? place
      if !records.isEmpty { return Self.lines(records) }
      guard follow else { return nil }
      isLive = true
    }
    return try await nextArrivals()
  }

  private func nextArrivals() async throws -> [UInt8]? {
    while !Task.isCancelled, follower.progress.isOpen {
      let known = follower.progress.sequences
      let (filter, first) = (filter, last)
      let (records, through) = try await follower.read { db in
        let through = try HistoryFilter.lastArrival(db)
        let records = try filter.arrived(db, behind: first, through: through, limit: Self.size)
        return (records, records.count < Self.size ? through : records.last?.arrival ?? through)
      }
      last = through
      if !records.isEmpty { return Self.lines(records) }
      await follower.progress.wait { lanes in
        lanes.contains { $0.value.position.sequence > known[$0.key] ?? 0 }
      }
    }
    return nil
  }

  private static func lines(_ records: [HistoryRecord]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      record.json.write(to: &bytes, sorted: false)
      bytes.append(0x0a)
    }
    return bytes
  }
}
