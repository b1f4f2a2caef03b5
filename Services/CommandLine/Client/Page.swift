import Messaging

/// Rows of a list, from one request or from all of them.
struct Page: Sendable {
  var rows: [JSON]
  /// How many there are in all.
  var count: Int
  var next: String?
  /// The first request's document.
  var document: JSONObject

  var isCut: Bool { rows.count < count }

  /// The HTTP document with these rows.
  var json: JSON {
    var object = document
    object["items"] = .array(rows)
    object["next"] = next.map(JSON.string) ?? .null
    return .object(object)
  }

  /// Asks for page after page and hands each over; at most `limit` rows.
  static func each(
    _ api: API, _ path: String, _ query: [(name: String, value: String)], limit: Int?, progress: Progress,
    _ body: (Page) throws -> Void
  ) async throws {
    var query = query
    var left = limit ?? .max
    var cursor: String?
    repeat {
      var parameters = query
      parameters.append(("limit", String(min(left, Noun.pageRows))))
      if let cursor { parameters.append(("cursor", cursor)) }
      let json = try await api.get(path, parameters)
      guard let object = json.object, let rows = json["items"]?.array else {
        throw Failure.refused("the server's answer is no list; is \(api.server) a Daybook of this version?")
      }
      cursor = json["next"]?.string
      left -= rows.count
      progress.advance(by: rows.count)
      try body(Page(rows: rows, count: Int(json["count"]?.integer ?? 0), next: cursor, document: object))
      // Waited for once, it stays true.
      query.removeAll { $0.name == "after" }
      if rows.isEmpty { break }
    } while cursor != nil && left > 0
  }

  static func all(
    _ api: API, _ path: String, _ query: [(name: String, value: String)], limit: Int?, progress: Progress
  ) async throws -> Page {
    var whole: Page?
    try await each(api, path, query, limit: limit, progress: progress) { page in
      if whole == nil {
        whole = page
      } else {
        whole?.rows += page.rows
        whole?.next = page.next
      }
    }
    return whole ?? Page(rows: [], count: 0, next: nil, document: [:])
  }
}
