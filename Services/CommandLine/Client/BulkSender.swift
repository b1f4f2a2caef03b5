import Messaging

/// Sends many commands with a number of them under way at once, and reports at the end.
struct BulkSender {
  private let context: Context
  private let type: String?
  private let inFlight: Int

  init(_ context: Context, type: String?, inFlight: Int) {
    self.context = context
    self.type = type
    self.inFlight = inFlight
  }

  private enum Outcome: Sendable {
    case answer(Answer)
    case undecided(Undecided)
    case failed(Failure)
  }

  private struct Report {
    var accepted = 0
    var refused = 0
    var undecided = 0
    /// Outcomes that wait for an earlier line's, so that answers are printed in order.
    var waiting: [Int: Outcome] = [:]
    var next = 0
    var total: Int { accepted + refused + undecided }
  }

  func send(_ lines: LineReader) async throws {
    let progress = Progress.begin(context.console, "sending")
    var report = Report()
    var numbers: [Int] = []
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var index = 0
      var number = 0
      var running = 0
      func start() throws -> Bool {
        while let line = try lines.next() {
          number += 1
          guard !line.allSatisfy(\.isWhitespace) else { continue }
          let command = try command(line, number)
          numbers.append(number)
          group.addTask { [index] in (index, await self.outcome(command)) }
          index += 1
          running += 1
          return true
        }
        return false
      }
      while running < inFlight, try start() {}
      while let (index, outcome) = try await group.next() {
        running -= 1
        progress.clear()
        note(index, outcome, &report, numbers)
        progress.advance()
        if report.undecided == 0 { _ = try start() }
      }
    }
    progress.finish()
    await context.close()
    try conclude(report)
  }

  private struct BulkCommand: Sendable {
    let type: String
    let data: JSON
    let id: MessageID
    let api: API
    let actor: String?
  }

  private func command(_ line: String, _ number: Int) throws -> BulkCommand {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: line)
    } catch {
      throw Failure.usage("line \(number) is not JSON: \(error)")
    }
    guard let object = json.object else { throw Failure.usage("line \(number) is no JSON object") }
    if let type {
      return BulkCommand(type: type, data: json, id: .next(), api: context.api, actor: context.api.actor)
    }
    guard let type = object["type"]?.string, let data = object["data"] else {
      throw Failure.usage("line \(number) has no \"type\" and \"data\"")
    }
    let id = object["id"]?.string
    guard let known = id.map({ MessageID($0) }) ?? .next() else {
      throw Failure.usage("line \(number): the id is not a UUID")
    }
    var api = context.api
    api.workspace = object["workspace"]?.string ?? api.workspace
    return BulkCommand(
      type: type, data: data, id: known, api: api, actor: object["actor"]?.string ?? context.api.actor)
  }

  private func outcome(_ command: BulkCommand) async -> Outcome {
    do {
      return .answer(
        try await command.api.write(
          command.type, command.data, id: command.id, actor: command.actor, patience: context.patience))
    } catch let undecided as Undecided {
      return .undecided(undecided)
    } catch {
      return .failed((error as? Failure) ?? .unreachable("\(error)"))
    }
  }

  private func note(_ index: Int, _ outcome: Outcome, _ report: inout Report, _ numbers: [Int]) {
    report.waiting[index] = outcome
    while let outcome = report.waiting.removeValue(forKey: report.next) {
      let line = numbers[report.next]
      report.next += 1
      switch outcome {
      case .answer(let answer):
        if answer.isAccepted {
          report.accepted += 1
        } else {
          report.refused += 1
          context.complain("line \(line): \(Failure(answer.status, answer.json).message)")
        }
        if context.invocation.has("answers") { context.console.print(answer.json.text) }
      case .undecided(let undecided):
        report.undecided += 1
        context.complain("line \(line): \(undecided.failure.message)")
        if context.invocation.has("answers") {
          context.console.print(JSON.object(["status": "undecided", "command": JSON(undecided.command)]).text)
        }
      case .failed(let failure):
        report.undecided += 1
        context.complain("line \(line): \(failure.message)")
      }
    }
  }

  private func conclude(_ report: Report) throws {
    let numbers: JSON = [
      "sent": JSON(report.total), "accepted": JSON(report.accepted), "refused": JSON(report.refused),
      "undecided": JSON(report.undecided),
    ]
    let text =
      "Sent \(report.total): \(report.accepted) accepted, \(report.refused) refused, \(report.undecided) undecided."
    if context.invocation.has("answers") { context.console.say(text) } else { context.show(numbers) { text + "\n" } }
    if report.undecided > 0 { throw Failure(status: .unreachable, message: "") }
    if report.refused > 0 { throw Failure(status: .refused, message: "") }
  }
}
