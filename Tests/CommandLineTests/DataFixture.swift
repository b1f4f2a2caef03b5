import Foundation
import Messaging

@testable import CommandLineClient

/// A data directory under `Fixtures`, with the commands that made it, what they were told, and answers from it.
struct DataFixture {
  /// A read, as `/v1/items?workspace=main`.
  struct Read {
    let path: String
    let query: [(name: String, value: String)]
    var text: String { path + "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    init(_ path: String, _ query: [(name: String, value: String)]) {
      self.path = path
      self.query = query
    }

    init(_ text: String) {
      let parts = text.split(separator: "?")
      let query = parts.count > 1 ? parts[1].split(separator: "&") : []
      self.init(
        String(parts[0]),
        query.map { pair in
          let sides = pair.split(separator: "=")
          return (String(sides[0]), String(sides[1]))
        })
    }
  }
  typealias Answer = (path: Read, answer: JSON)

  let path: String

  init(_ version: String) {
    path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures/" + version
  }

  var data: String { path + "/data" }
  var commands: String { path + "/commands.ndjson" }

  /// What the build that made it answered.
  func answers() throws -> [Answer] {
    try String(contentsOfFile: path + "/answers.ndjson", encoding: .utf8).split(separator: "\n").map { line in
      let json = try JSON(parsing: String(line))
      return (Read(json["path"]?.string ?? ""), json["answer"] ?? .null)
    }
  }

  /// Every list and every entity of both workspaces, a search, and the whole history.
  static func answers(of daybook: Household) async throws -> [(path: String, answer: JSON)] {
    let api = try API(server: daybook.url)
    var answers: [(path: String, answer: JSON)] = []
    func keep(_ read: Read) async throws -> JSON {
      let answer = try await api.get(read.path, read.query, wait: false)
      answers.append((read.text, answer))
      return answer
    }
    for workspace in ["main", "cabin"] {
      let here = (name: "workspace", value: workspace)
      for noun in ["projects", "items", "tags", "books", "authors", "genres", "visitors", "visits", "badges"] {
        let list = try await keep(Read("/v1/\(noun)", [here, ("limit", "100")]))
        for row in list["items"]?.array ?? [] {
          _ = try await keep(Read("/v1/\(noun)/\(row["id"]?.string ?? "")", [here]))
        }
      }
      _ = try await keep(Read("/v1/search", [here, ("q", "roof")]))
      _ = try await keep(Read("/v1/history", [here, ("limit", "1000")]))
    }
    return answers
  }

  /// The first place at which what is found is not what was; members that came since do not count.
  static func difference(_ was: JSON, _ found: JSON?, at place: String) -> String? {
    switch (was, found) {
    case (.object(let members), .object(let now)?):
      for member in members.members {
        if let difference = difference(member.value, now[member.key], at: "\(place).\(member.key)") {
          return difference
        }
      }
      return nil
    case (.array(let rows), .array(let now)?) where rows.count == now.count:
      for (index, row) in rows.enumerated() {
        if let difference = difference(row, now[index], at: "\(place)[\(index)]") { return difference }
      }
      return nil
    default:
      return was == found ? nil : "\(place) was \(was.text), but is \(found?.text ?? "gone")"
    }
  }
}
