import HTTP
import Messaging

/// Speaks to a server over HTTP, for one workspace. Every error is a `Failure` with one sentence.
struct API: Sendable {
  /// As people name it in messages.
  let server: String
  var workspace: String
  let actor: String?
  let client: HTTPClient
  /// Where writes go past the server, straight to the log; nil: to the server.
  var direct: DirectGateway?
  /// False where only a log is named: it does not answer reads.
  var isServerNamed = true
  /// How long a read may take, in seconds.
  var timeout = 30.0

  /// A JSON document that is read; throws `Failure` for every other answer.
  func get(_ path: String, _ query: [(name: String, value: String)] = [], wait: Bool = true) async throws -> JSON {
    let (status, json) = try await answer(request("GET", path, query))
    guard (200..<300).contains(status) else { throw Failure(status, json) }
    return json
  }

  /// As `get`; nil where there is nothing of that id.
  func find(_ path: String, _ query: [(name: String, value: String)] = []) async throws -> JSON? {
    let (status, json) = try await answer(request("GET", path, query))
    if status == 404 { return nil }
    guard (200..<300).contains(status) else { throw Failure(status, json) }
    return json
  }

  /// The lines of a streamed answer, as they come.
  func lines(_ path: String, _ query: [(name: String, value: String)]) async throws -> AsyncThrowingStream<
    [UInt8], any Error
  > {
    let response = try await reach { () throws(HTTPClientError) in
      try await client.stream(request("GET", path, query))
    }
    guard response.status == 200 else {
      throw Failure(response.status, API.json(try await API.bytes(response)))
    }
    return LineStream.lines(of: response.body)
  }

  func request(
    _ method: String, _ path: String, _ query: [(name: String, value: String)] = [], body: JSON? = nil
  ) -> Request {
    var query = query
    if !query.contains(where: { $0.name == "workspace" }), method == "GET" { query.append(("workspace", workspace)) }
    let headers = body == nil ? [:] : ["content-type": "application/json"]
    return Request(method: method, path: path, query: query, headers: headers, body: body?.bytes ?? [])
  }

  /// Status and document of an answer.
  func answer(_ request: Request, timeout: Double? = nil) async throws -> (status: Int, json: JSON) {
    let response = try await reach { () throws(HTTPClientError) in
      try await client.send(request, timeout: .seconds(timeout ?? self.timeout))
    }
    return (response.status, API.json(try await API.bytes(response)))
  }

  private func reach(_ body: () async throws(HTTPClientError) -> Response) async throws -> Response {
    guard isServerNamed else {
      throw Failure.usage("--kafka names the log alone, and this is read from a server: name one with --server URL")
    }
    do {
      return try await body()
    } catch {
      if error == .cancelled { throw CancellationError() }
      if case .badURL = error { throw Failure.usage("--server takes http://HOST:PORT, not \"\(server)\"") }
      throw Failure.unreachable(unreachable(error))
    }
  }

  /// What the server's audit has read, as its `/v1/positions` tells.
  var positions: Handler {
    { [client] _ in
      let request = Request(path: "/v1/status")
      guard let response = try? await client.send(request, timeout: .seconds(5)), response.status == 200,
        let bytes = try? await API.bytes(response), let positions = API.json(bytes)["audit"]?["positions"]
      else { return .problem(Problem.notFound("status", "the server")) }
      return .json(["positions": positions])
    }
  }

  func unreachable(_ error: HTTPClientError) -> String {
    switch error {
    case .refused: "no Daybook answers at \(server); start one with \"daybook up\", or name it with --server"
    default: error.description
    }
  }

  static func bytes(_ response: Response) async throws -> [UInt8] {
    switch response.body {
    case .bytes(let bytes): return bytes
    case .stream(let stream):
      var all: [UInt8] = []
      for try await chunk in stream { all += chunk }
      return all
    }
  }

  static func json(_ bytes: [UInt8]) -> JSON { (try? JSON(parsing: bytes)) ?? .null }
}

extension Failure {
  /// What an answer that is no success means for a person: the problem's sentence, and what it could have been.
  init(_ status: Int, _ problem: JSON) {
    var sentence = problem["detail"]?.string ?? "the server answered \(status)"
    for candidate in problem["candidates"]?.array ?? [] {
      sentence += "\n  " + Failure.candidate(candidate)
    }
    let unreachable = status == 503 || status == 504 || status == 502
    self.init(status: unreachable ? .unreachable : .refused, message: sentence)
  }

  /// `a1b2c3d4  Ada Lovelace  registeredAt 2026-…`: the id's ending, then what tells candidates apart.
  private static func candidate(_ json: JSON) -> String {
    var parts: [String] = []
    for member in json.object?.members ?? [] {
      if member.key == "id" {
        parts.insert(member.value.string ?? "", at: 0)
      } else if member.key == "gone" {
        if member.value.bool == true { parts.append("gone") }
      } else if !member.value.isNull {
        parts.append(Values.plain(member.value))
      }
    }
    return parts.joined(separator: "  ")
  }
}
