import EventLog
import Glibc
import Messaging

/// What happened, read from the log itself: as `GET /v1/events` of a server tells it.
struct LogEvents {
  private let workspace: String
  private let types: [String]
  private let from: Timestamp?
  private let to: Timestamp?
  private let follow: Bool
  private var reading: LogReading

  /// The query is that of a server.
  init(_ log: any EventLog, partitionCount: Int, workspace: String, query: [(name: String, value: String)]) async throws
  {
    self.workspace = workspace
    types = query.filter { $0.name == "type" }.map(\.value)
    from = try await StorySource.time(query.first { $0.name == "from" }?.value, in: log)
    to = try await StorySource.time(query.first { $0.name == "to" }?.value, in: log)
    follow = query.contains { $0 == (name: "follow", value: "true") }
    reading = try await LogReading(log, partitionCount: partitionCount)
  }

  /// Hands over what is there in the order of replay; where it follows, then what comes, as it comes.
  mutating func forEach(_ body: (EventLine) throws -> Void) async throws {
    defer { reading.close() }
    while let line = try await reading.next() {
      if !follow, let to, let time = line.moment, time > to { return }
      if isAsked(line) { try body(line) }
    }
    if follow {
      let filter = self
      try await reading.follow { line in if filter.isAsked(line) { try body(line) } }
    }
  }

  private func isAsked(_ line: EventLine) -> Bool {
    guard workspace == "*" || line.workspace == workspace else { return false }
    if let time = line.moment {
      if let from, time < from { return false }
      if let to, time > to { return false }
    }
    return types.isEmpty || types.contains { fnmatch($0, line.type, FNM_NOESCAPE) == 0 }
  }
}

extension EventLine {
  var moment: Timestamp? { time?.string.flatMap(Timestamp.init) }
}
