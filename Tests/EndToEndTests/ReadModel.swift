import Foundation
import HTTP
import Messaging

/// What HTTP answers of a running Daybook, as the checker compares it.
enum ReadModel {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Every entity of every workspace, through all pages.
  static func entities(_ server: String) async throws -> Checker.Entities {
    let client = try HTTPClient(base: server)
    defer { client.close() }
    var entities: Checker.Entities = [:]
    let workspaces = try await get(client, "/v1/workspaces", [("limit", "500")])["items"]?.array ?? []
    for workspace in workspaces {
      let workspace = workspace["id"]?.string ?? workspace["name"]?.string ?? workspace["workspace"]?.string ?? ""
      for kind in Kind.all {
        var cursor: String?
        repeat {
          var query = [("workspace", workspace), ("limit", "500")]
          if let cursor { query.append(("cursor", cursor)) }
          let page = try await get(client, "/v1/\(kind.plural)", query)
          for row in page["items"]?.array ?? [] {
            guard let id = row["id"]?.string else { continue }
            let key = "\(workspace)/\(id)"
            guard entities[kind.name]?[key] == nil else {
              throw Failure(description: "\(kind.name) \(key) is listed twice")
            }
            entities[kind.name, default: [:]][key] = kind.label(row)
          }
          cursor = page["next"]?.string
        } while cursor != nil
      }
    }
    return entities
  }

  static func get(_ client: HTTPClient, _ path: String, _ query: [(String, String)]) async throws -> JSON {
    let response = try await client.send(Request(path: path, query: query.map { (name: $0.0, value: $0.1) }))
    guard case .bytes(let body) = response.body, response.status == 200 else {
      throw Failure(description: "GET \(path) answered \(response.status)")
    }
    return try JSON(parsing: body)
  }
}
