import EventLog
import HTTP
import Messaging
import ServiceKit

extension GatewayService {
  /// `POST /v1/commands`: the decision, byte for byte; 202 while it is not decided; 503 only where the command surely
  /// was not handed over.
  func command(_ request: Request, _ caller: TokenGuard.Caller) async throws(Problem) -> Response {
    try request.allow(["wait"])
    // The handler's guard says the same; a router of another server may not have it.
    if let problem = BrowserGuard(checksHost: false).refusal(request) { throw problem }
    guard !options.isReadOnly else {
      throw Problem(
        code: "read-only", status: 403, detail: "This Daybook only answers questions; it was started read-only.")
    }
    let wait = try WaitPreference.read(request) ?? options.wait
    let command = try CommandRequest(request, tokenName: caller.tokenName, services: options.services)
    let outcome = await decision(command, wait: wait)
    count(command, outcome)
    switch outcome {
    case .decided(let decision): return answer(decision, command)
    case .undecided: return undecided(command)
    case .notAppended(let why):
      var response = Response.problem(
        Problem(
          code: "unavailable", status: 503,
          detail: "The command was not taken (\(why)); send it again.", members: ["command": JSON(command.id)]))
      response.headers.append(("retry-after", "1"))
      return response
    }
  }

  /// Registers, produces, waits. Producing goes on where the wait ends first: it is never taken back.
  private func decision(_ command: CommandRequest, wait: Duration) async -> Waiters.Outcome {
    let key = Waiters.Key(service: command.service, workspace: command.workspace, command: command.id)
    // Who does not want to wait is answered once the command is durable.
    let waits = wait > .zero
    let waiter = waiters.register(key, content: command.content, wait: waits ? wait : options.wait)
    let partition = TopicPartition(
      Topic.commands(command.service),
      Workspace.partition(of: command.workspace, count: context.partitionCount))
    let record = command.message(source: options.source).record
    context.log.append([record], to: partition) { [waiters, trouble, id = command.id] result in
      switch result {
      case .success:
        trouble.over("commands are taken again")
        if !waits { waiters.end(waiter, .undecided) }
      case .failure(let error):
        waiters.settle(key)
        switch error {
        case .notAppended, .unknownTopic: waiters.end(waiter, .notAppended(error.description))
        default:
          // It may be in the log: whether it is decided shows within the wait.
          trouble.met(.warning, "a command may not have been taken: \(error)", ["command": JSON(id)])
        }
      }
    }
    return await withTaskCancellationHandler {
      await waiter.outcome()
    } onCancel: {
      waiters.end(waiter, .undecided)
    }
  }

  private func answer(_ decision: Decision, _ command: CommandRequest) -> Response {
    var response = Response.json(bytes: decision.answer.bytes, status: decision.httpStatus)
    // A refusal too may name what was done just before it.
    if let receipt = decision.answer["receipt"]?.string.flatMap(Receipt.init) {
      receipts.note(receipt, workspace: command.workspace)
    }
    if !decision.isAccepted { response.headers = [("content-type", "application/problem+json")] }
    if decision.isRepeat { response.headers.append(("daybook-repeat", "true")) }
    return response
  }

  private func undecided(_ command: CommandRequest) -> Response {
    var response = Response.json(
      [
        "status": "undecided", "command": JSON(command.id), "type": .string(command.type),
        "workspace": .string(command.workspace),
        "detail": "The command is not decided yet. Send it again with the same id, or ask for its decision.",
      ], status: 202)
    response.headers.append(("location", "/v1/commands/\(command.id)?workspace=\(command.workspace)"))
    return response
  }

  private func count(_ command: CommandRequest, _ outcome: Waiters.Outcome) {
    let word =
      switch outcome {
      case .decided(let decision): decision.isRepeat ? "repeat" : decision.isAccepted ? "accepted" : "refused"
      case .undecided: "undecided"
      case .notAppended: "unavailable"
      }
    context.metrics.count(
      "daybook_gateway_commands_total", "Commands over HTTP, by what the client was told.",
      [("service", command.service), ("outcome", word)])
  }
}
