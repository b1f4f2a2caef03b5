import EventLog
import Foundation
import Messaging
import SQLite

/// Proves or disproves a data directory against what clients were told. It reads only the client's record of answers,
/// the log, the databases and HTTP answers, and shares no rule with the code that it checks: what counts in the log and
/// what the events add up to is written down here a second time, in the simplest way.
struct Checker {
  let data: String
  let told: [Told]
  var partitions = 4
  /// The log; nil for the embedded one in the data directory.
  var log: (any EventLog)?

  /// What the events of the log add up to: the entities that live, by kind, workspace and id, with name or title.
  typealias Entities = [String: [String: String]]

  static let services = ["library", "visitorlog", "tasks"]

  /// Every fault found, one sentence each; none where all holds.
  func findings(rows: Entities? = nil) async throws -> [String] {
    let source = try log ?? EmbeddedLog(directory: data + "/log", mode: .reading)
    var log = try await LogReading(source, services: Self.services, partitions: partitions)
    await source.close()
    log.checkAnswers(told)
    var findings = log.findings
    findings += try compare(log.entities, with: try ownerRows(), in: "the owner's database")
    if let rows { findings += try compare(log.entities, with: rows, in: "the read model") }
    return findings
  }

  private func compare(_ expected: Entities, with found: Entities, in place: String) throws -> [String] {
    var findings: [String] = []
    for kind in Kind.all {
      let expected = expected[kind.name] ?? [:]
      let found = found[kind.name] ?? [:]
      for (id, label) in expected {
        guard let row = found[id] else {
          findings.append("\(kind.name) \(id) \"\(label)\" is in the log, not in \(place)")
          continue
        }
        if row != label { findings.append("\(kind.name) \(id) is \"\(label)\" by the log, \"\(row)\" in \(place)") }
      }
      for (id, label) in found where expected[id] == nil {
        findings.append("\(kind.name) \(id) \"\(label)\" is in \(place), not in the log")
      }
    }
    return findings
  }

  /// The rows of the owners' databases.
  private func ownerRows() throws -> Entities {
    var rows: Entities = [:]
    for kind in Kind.all {
      for partition in 0..<partitions {
        let path = "\(data)/\(kind.service)/\(partition).sqlite"
        guard FileManager.default.fileExists(atPath: path) else { continue }
        let db = try Connection(path, .reading)
        defer { db.close() }
        try db.prepare("SELECT workspace || '/' || id, \(kind.column) FROM \(kind.name)").forEach {
          rows[kind.name, default: [:]][$0.string(0)] = $0.string(1)
        }
      }
    }
    return rows
  }
}

/// A kind of entity: its table, the column that people know it by, and the events that begin and end it.
struct Kind {
  let name: String
  let service: String
  let column: String
  /// Where that column's value stands in an event that begins it.
  let label: @Sendable (JSON) -> String
  let plural: String

  static let all: [Kind] = [
    Kind(name: "project", service: "tasks", column: "name", label: { $0["name"]?.string ?? "?" }, plural: "projects"),
    Kind(name: "item", service: "tasks", column: "title", label: { $0["title"]?.string ?? "?" }, plural: "items"),
    Kind(name: "tag", service: "tasks", column: "name", label: { $0["name"]?.string ?? "?" }, plural: "tags"),
    Kind(name: "book", service: "library", column: "title", label: { $0["title"]?.string ?? "?" }, plural: "books"),
    Kind(name: "author", service: "library", column: "name", label: { $0["name"]?.string ?? "?" }, plural: "authors"),
    Kind(name: "genre", service: "library", column: "name", label: { $0["name"]?.string ?? "?" }, plural: "genres"),
    Kind(
      name: "visitor", service: "visitorlog", column: "last_name", label: { $0["lastName"]?.string ?? "?" },
      plural: "visitors"),
    Kind(
      name: "badge", service: "visitorlog", column: "number", label: { $0["number"]?.string ?? "?" }, plural: "badges"),
  ]

  static let begins: Set<String> = ["created", "added", "registered"]
  static let ends: Set<String> = ["deleted", "removed", "cascade-deleted"]
}
