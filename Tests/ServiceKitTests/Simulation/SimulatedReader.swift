import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// What a walk has shown to be wrong.
struct Fault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A follower and a gateway in one: the real follower's rules, with an effect that knows what must never happen.
final class SimulatedReader {
  private let core: FollowerCore<NamesEffect>
  private let partition = ServicePartition("names", 0)

  /// `db` has the effect's tables already.
  init(_ db: Connection, rules: Validity.Rules) throws {
    core = try FollowerCore(
      db, installation: Installation(logID: "log", partitionCount: 1), partitions: [partition], rules: rules,
      makeEffect: { _ in NamesEffect() })
  }

  var names: Set<String> { core.effect.names }
  var answers: [MessageID: [UInt8]] { core.effect.answers }
  var lastSequence: Int64 { core.position(of: partition)?.sequence ?? 0 }

  /// Reads everything that is new.
  func follow(_ log: [Record]) throws {
    let next = Int(core.next(of: partition))
    guard next < log.count else { return }
    core.take(Array(log[next...]), of: partition)
    if core.hasWork { try core.fold() }
    if let stop = core.stop(of: partition) { throw Fault(stop.description) }
  }
}

/// The names that a reader sees and the answers that clients were given.
final class NamesEffect: FollowerEffect {
  static let migrator = Migrator(applicationID: 0x7465_7375, steps: [FollowerSchema.sql])
  static let foldVersion = 1
  static let tables: [ComparedTable] = []
  static func knows(type: String) -> Bool { true }

  private(set) var names: Set<String> = []
  private(set) var answers: [MessageID: [UInt8]] = [:]
  private var isInsideCommand = false

  func apply(_ record: ValidRecord, of partition: ServicePartition) throws {
    let json = try JSON(parsing: record.message.data)
    isInsideCommand = !record.message.endsCommand
    if record.message.type == Message.Kind.decided {
      guard let decision = Decision(json) else { throw Fault("a decision that cannot be read") }
      let answer = decision.answer.bytes
      if let first = answers[decision.command], first != answer { throw Fault("a client was told two things") }
      answers[decision.command] = answer
      return
    }
    switch try NamesEvent(type: record.message.type, data: json) {
    case .added(let name, _): guard names.insert(name).inserted else { throw Fault("a name added twice") }
    case .removed(let name): guard names.remove(name) != nil else { throw Fault("removed what is not there") }
    case .touched(let name): guard names.contains(name) else { throw Fault("touched what is not there") }
    }
  }

  func willCommit() throws {
    if isInsideCommand { throw Fault("half a command is seen") }
  }
}
