import Contracts
import Messaging
import ServiceKit
import TasksService
import TestSupport

/// The real owner over the rules of the task list, with commands named without service and version (`item.add`).
struct TasksTester {
  let owner: DomainTester<TasksDomain>

  init() throws { owner = try DomainTester() }

  /// What an accepted command did.
  struct Done {
    let answer: DomainTester<TasksDomain>.Answer
    var id: MessageID? { answer.entity }
    /// The events' types without service and version: `item.added`.
    var types: [String] { answer.events.map { String(EventType.split($0.type).name.dropFirst("tasks.".count)) } }
    var events: [TasksEvent] { answer.events }
    var data: [JSON] { answer.events.map(\.data) }
  }

  /// A refused command's problem.
  struct Refusal {
    let json: JSON
    var code: String? { json["code"]?.string }
    var status: Int64? { json["status"]?.integer }
    var fields: [String] { json["errors"]?.array?.compactMap { $0["field"]?.string } ?? [] }
    var detail: String { json["detail"]?.string ?? "" }
  }

  /// Sends a command that must be accepted.
  @discardableResult
  func send(_ verb: String, _ data: JSON, in workspace: String = Workspace.main) throws -> Done {
    let answer = try owner.send("tasks.\(verb).v1", data, workspace: workspace)
    guard answer.isAccepted else { throw TesterError("\(verb) was refused: \(answer.decision.answer.text)") }
    return Done(answer: answer)
  }

  /// Sends a command that must be refused, without an event.
  func refusal(_ verb: String, _ data: JSON, in workspace: String = Workspace.main) throws -> Refusal {
    let answer = try owner.send("tasks.\(verb).v1", data, workspace: workspace)
    guard !answer.isAccepted else { throw TesterError("\(verb) was accepted, with \(answer.types)") }
    guard answer.events.isEmpty else { throw TesterError("\(verb) was refused, with \(answer.types)") }
    return Refusal(json: answer.decision.answer)
  }

  /// Rows of a query, columns joined by ` | `.
  func rows(_ sql: String) throws -> [String] { try owner.rows(sql).map { $0.joined(separator: " | ") } }

  /// The first difference between the tables and a fold of the log; nil where there is none.
  func differenceFromFold() throws -> FoldDifference? { try owner.foldDifference() }
}
