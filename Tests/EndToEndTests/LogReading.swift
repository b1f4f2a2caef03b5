import EventLog
import Messaging

/// One pass over every event partition of a log: what counts, what it adds up to, and what is wrong with it.
struct LogReading {
  private(set) var findings: [String] = []
  private(set) var entities: Checker.Entities = [:]
  /// The decisions by service, workspace, command and content; repeats left out.
  private var decisions: [String: [Decision]] = [:]
  private var eventsOf: [String: Int] = [:]

  init(_ log: any EventLog, services: [String], partitions: Int) async throws {
    for service in services {
      for partition in 0..<partitions { try await read(service, partition, log) }
    }
  }

  private mutating func read(_ service: String, _ partition: Int, _ log: any EventLog) async throws {
    let place = TopicPartition(Topic.events(service), partition)
    let bounds = try await log.bounds(of: place)
    guard !bounds.isEmpty else { return }
    let reader = try await log.reader(of: place, from: bounds.lowerBound)
    var epoch: Int64 = 0
    var part: [Message] = []
    var last: Int64 = 0
    var ids: Set<MessageID> = []
    var next = bounds.lowerBound
    while next < bounds.upperBound {
      for record in try await reader.next(atMost: 1000) {
        next = record.offset + 1
        guard let message = try? Message(record), let its = message.epoch else { continue }
        if message.type == "daybook.owner.claimed.v1" {
          if its > epoch { (epoch, part) = (its, []) }
          continue
        }
        guard its == epoch else { continue }
        part.append(message)
        guard message.type == "daybook.command.decided.v1" || message.type == "daybook.command.unreadable.v1" else {
          continue
        }
        for message in part {
          let sequence = message.sequence ?? -1
          if sequence != last + 1 { findings.append("\(service)/\(partition): sequence \(sequence) behind \(last)") }
          last = sequence
          if !ids.insert(message.id).inserted {
            findings.append("\(service)/\(partition)/\(sequence): its id stands twice")
          }
        }
        take(service, partition, part)
        part = []
      }
    }
    reader.close()
  }

  private mutating func take(_ service: String, _ partition: Int, _ command: [Message]) {
    guard let ending = command.last, ending.type == "daybook.command.decided.v1" else { return }
    let place = "\(service)/\(partition)/\(ending.sequence ?? 0)"
    guard let json = try? JSON(parsing: ending.data), let decision = Decision(json) else {
      findings.append("\(place): the decision cannot be read")
      return
    }
    if decision.eventCount != command.count - 1 {
      findings.append(
        "\(place): the decision counts \(decision.eventCount) events, \(command.count - 1) stand before it")
    }
    for message in command.dropLast() {
      if message.causationID != decision.command {
        findings.append("\(place): an event of another command stands before its decision")
      }
      apply(message)
    }
    if !decision.isRepeat {
      decisions["\(service) \(decision.workspace) \(decision.command) \(decision.content)", default: []].append(
        decision)
    }
  }

  private mutating func apply(_ message: Message) {
    let parts = message.type.split(separator: ".").map(String.init)
    guard parts.count == 4, let kind = Kind.all.first(where: { $0.service == parts[0] && $0.name == parts[1] }),
      let json = try? JSON(parsing: message.data), let id = json["id"]?.string
    else { return }
    let key = "\(message.workspace)/\(id)"
    if Kind.begins.contains(parts[2]) {
      if entities[kind.name]?[key] != nil { findings.append("\(kind.name) \(key) begins twice") }
      entities[kind.name, default: [:]][key] = kind.label(json)
    } else if Kind.ends.contains(parts[2]) {
      if entities[kind.name]?.removeValue(forKey: key) == nil {
        findings.append("\(kind.name) \(key) ends, but does not live")
      }
    } else if let after = json["after"] {
      let label = kind.label(after)
      if label != "?" { entities[kind.name]?[key] = label }
    }
  }

  /// Every answered command has exactly one decision, and the answer is that decision's, byte for byte.
  mutating func checkAnswers(_ told: [Told]) {
    for told in told {
      guard let answer = told.answer else { continue }
      let found = decisions["\(told.service) \(told.workspace) \(told.id) \(told.content)"] ?? []
      if found.count != 1 {
        findings.append("\(told.type) \(told.id) was answered \(answer.status), and has \(found.count) decisions")
      } else if found[0].answer.bytes != answer.body {
        findings.append("\(told.type) \(told.id) was told another answer than its decision holds")
      }
    }
  }
}
