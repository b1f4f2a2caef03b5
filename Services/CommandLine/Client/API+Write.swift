import HTTP
import Messaging

/// The decision on a command, as the server told it.
struct Answer: Sendable {
  let status: Int
  let json: JSON
  var isAccepted: Bool { json["status"] == "accepted" }
}

/// Not known yet: the command may or may not be carried out.
struct Undecided: Error {
  let command: MessageID
  let reason: String
  /// Whether a server may have it.
  let isSent: Bool

  /// The failure that a person is told: the command's id is in it, to go on with.
  var failure: Failure {
    guard isSent else { return .unreachable("\(reason); command \(command) was not sent") }
    return .unreachable(
      "\(reason); command \(command) may or may not be done: ask with \"daybook command \(command)\", "
        + "or send it again with --command-id \(command)")
  }
}

extension API {
  /// How long to go on asking, and whether a person said so.
  struct Patience: Sendable {
    var seconds: Double = 10
    var isAsked = false
  }

  /// Sends one command and waits for its decision. The id is made before the first try, so trying again after a lost
  /// connection or a 503 never does it twice. Throws `Undecided` once the patience is over.
  func write(
    _ type: String, _ data: JSON, id: MessageID, actor: String?, patience: Patience
  ) async throws -> Answer {
    var body: JSONObject = [
      "type": .string(type), "data": data, "id": JSON(id), "workspace": .string(workspace),
    ]
    if let actor { body["actor"] = .string(actor) }
    let request = request("POST", "/v1/commands", body: .object(body))
    let clock = ContinuousClock()
    let start = clock.now
    var pause = Duration.milliseconds(50)
    var isSent = false
    while true {
      let reason: String
      // Where nobody listens and nothing was ever sent, a person wants to know at once.
      var limit = patience.seconds
      do {
        let left = max(0.1, patience.seconds - start.duration(to: clock.now).seconds)
        let response = try await client.send(request, timeout: .seconds(left))
        let json = API.json(try await API.bytes(response))
        guard response.status == 202 || response.status == 503 else {
          return Answer(status: response.status, json: json)
        }
        reason = json["detail"]?.string ?? "it is not decided yet"
        isSent = true
      } catch let error as HTTPClientError {
        if error == .cancelled { throw error }
        if !error.isUnsent { isSent = true }
        if !isSent, !patience.isAsked { limit = min(limit, 0.5) }
        reason = unreachable(error)
      }
      guard start.duration(to: clock.now) + pause < .seconds(limit) else {
        throw Undecided(command: id, reason: reason, isSent: isSent)
      }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(1))
    }
  }
}

extension Duration {
  /// In seconds, as far as a floating-point number holds them.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
