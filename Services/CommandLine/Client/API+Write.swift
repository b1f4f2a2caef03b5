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
  let fate: Fate

  /// What is known of where the command is, the least first.
  enum Fate: Int, Sendable {
    /// No server has it.
    case unsent
    /// A server said that it does not take it now.
    case notTaken
    /// A server has it, or at least took the request, and goes on.
    case waiting
    /// The connection broke in the middle.
    case unknown

    /// After an answer that is no decision.
    init(_ status: Int, _ answer: JSON) {
      // A server that stops says so too of a command that it is busy with.
      self = status == 202 ? .waiting : answer["code"] == "stopping" ? .unknown : .notTaken
    }
  }

  /// The failure that a person is told: the command's id is in it, to go on with.
  var failure: Failure {
    let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    let again = "send it again with --command-id \(command)"
    return switch fate {
    case .unsent: .unreachable("\(reason); command \(command) was not sent")
    case .notTaken: .unreachable("\(reason); command \(command) was not taken: \(again)")
    case .waiting:
      .unreachable(
        "\(reason); command \(command) is not decided yet: \"daybook status\" tells what is behind, "
          + "\"daybook command \(command) --wait\" what becomes of it, or \(again)")
    case .unknown:
      .unreachable(
        "\(reason); command \(command) may or may not be done: ask with \"daybook command \(command)\", "
          + "or \(again)")
    }
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
    var fate = Undecided.Fate.unsent
    func learn(_ new: Undecided.Fate) { if new.rawValue > fate.rawValue { fate = new } }
    while true {
      let reason: String
      // Where nobody listens and nothing was ever sent, a person wants to know at once.
      var limit = patience.seconds
      do {
        let left = max(0.1, patience.seconds - start.duration(to: clock.now).seconds)
        let response =
          if let direct {
            try await direct.send(request, type: type, workspace: workspace)
          } else {
            try await client.send(request, timeout: .seconds(left))
          }
        let json = API.json(try await API.bytes(response))
        guard response.status == 202 || response.status == 503 else {
          return Answer(status: response.status, json: json)
        }
        reason = json["detail"]?.string ?? "\(server) has not answered in time"
        learn(Undecided.Fate(response.status, json))
      } catch let error as HTTPClientError {
        if error == .cancelled { throw error }
        if case .timedOut = error { learn(.waiting) } else if !error.isUnsent { learn(.unknown) }
        if fate == .unsent, !patience.isAsked { limit = min(limit, 0.5) }
        reason = unreachable(error)
      }
      guard start.duration(to: clock.now) + pause < .seconds(limit) else {
        throw Undecided(command: id, reason: reason, fate: fate)
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
