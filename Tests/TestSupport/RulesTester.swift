import Contracts
package import Messaging
package import ServiceKit

/// The real owner over the rules of one service, with commands named without service and version (`item.add`).
package struct RulesTester<D: Domain> {
  package let owner: DomainTester<D>

  package init() throws { owner = try DomainTester() }

  /// What an accepted command did.
  package struct Done {
    package let answer: DomainTester<D>.Answer
    package var id: MessageID? { answer.entity }
    /// The events' types without service and version: `item.added`.
    package var types: [String] {
      answer.events.map { String(EventType.split($0.type).name.dropFirst(D.service.count + 1)) }
    }
    package var events: [D.Event] { answer.events }
    package var data: [JSON] { answer.events.map(\.data) }
    /// The sequence of the last event.
    package var sequence: Int64 { answer.sequence }
  }

  /// A refused command's problem.
  package struct Refusal {
    package let json: JSON
    package var code: String? { json["code"]?.string }
    package var status: Int64? { json["status"]?.integer }
    package var fields: [String] { json["errors"]?.array?.compactMap { $0["field"]?.string } ?? [] }
    package var detail: String { json["detail"]?.string ?? "" }
  }

  /// Sends a command that must be accepted.
  @discardableResult
  package func send(_ verb: String, _ data: JSON, in workspace: String = Workspace.main) throws -> Done {
    let answer = try owner.send("\(D.service).\(verb).v1", data, workspace: workspace)
    guard answer.isAccepted else { throw TesterError("\(verb) was refused: \(answer.decision.answer.text)") }
    return Done(answer: answer)
  }

  /// Sends a command that must be refused, without an event.
  package func refusal(_ verb: String, _ data: JSON, in workspace: String = Workspace.main) throws -> Refusal {
    let answer = try owner.send("\(D.service).\(verb).v1", data, workspace: workspace)
    guard !answer.isAccepted else { throw TesterError("\(verb) was accepted, with \(answer.types)") }
    guard answer.events.isEmpty else { throw TesterError("\(verb) was refused, with \(answer.types)") }
    return Refusal(json: answer.decision.answer)
  }

  /// Rows of a query, columns joined by ` | `.
  package func rows(_ sql: String) throws -> [String] { try owner.rows(sql).map { $0.joined(separator: " | ") } }

  /// The first difference between the tables and a fold of the log; nil where there is none.
  package func differenceFromFold() throws -> FoldDifference? { try owner.foldDifference() }
}
