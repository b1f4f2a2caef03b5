import EventLog
import Messaging
import SQLite
import ServiceKit
import TestSupport

/// One owner of the walk: a database that outlives it, the real core while it runs, and its records on their way to the
/// log.
final class SimulatedOwner {
  typealias Core = OwnerCore<NamesDomain>

  private unowned let world: SimulatedWorld
  var db: Connection
  private(set) var core: Core?
  /// On their way to the log, in order.
  private var network: [NewRecord] = []
  /// Whether this run has claimed; it does so once it has read to `end`.
  private var hasClaimed = false
  private var end: Int64 = 0

  init(_ world: SimulatedWorld) throws {
    self.world = world
    db = try world.emptyDatabase()
  }

  var isRunning: Bool { core != nil }

  func start() throws { try start(OwnerClaims(own: .new())) }

  private func start(_ claims: OwnerClaims) throws {
    try open(claims)
    network = []
    hasClaimed = false
    end = Int64(world.log.count)
    // Most read to the end first, as the service does; some claim an epoch that may be taken.
    if world.random.chance(0.3) { try claim() }
  }

  private func open(_ claims: OwnerClaims) throws {
    core = try Core(
      db, partition: 0, partitionCount: 1, claims: claims, rules: world.rules, clock: { SimulatedWorld.clock })
  }

  private func claim() throws {
    guard let core else { return }
    hasClaimed = true
    network.append(try core.claim())
  }

  /// What is on its way may still arrive, or its beginning, whenever.
  func crash() {
    world.late.append(Array(network.prefix(Int.random(in: 0...network.count, using: &world.random))))
    network = []
    core = nil
  }

  /// A delivery fails: a new writer and a new claim in the same run.
  func fail() throws {
    guard var claims = core?.claims else { return }
    claims.withdraw()
    crash()
    try start(claims)
  }

  /// A few records of its own partition.
  func read() throws {
    guard let core, !core.isFenced else { return }
    if !hasClaimed, core.nextOffset >= end { try claim() }
    guard core.nextOffset < world.log.count else {
      if core.nextOffset > world.log.count { throw Fault("the log is shorter than the mark") }
      return
    }
    let count = Int.random(in: 1...6, using: &world.random)
    switch try core.ingest(world.log[Int(core.nextOffset)...].prefix(count)) {
    case .read, .owns, .fenced: break
    case .claimLost: try claim()
    case .foreignHistory:
      db = try world.emptyDatabase()
      try open(core.claims)
    }
    if world.random.chance(0.5) { try core.flushMark() }
  }

  func work() throws {
    guard let core, core.status == .owning, core.state.commandPosition < world.commands.count else { return }
    let count = Int.random(in: 1...2, using: &world.random)
    _ = try core.decide(world.commands[Int(core.state.commandPosition)...].prefix(count))
  }

  func publish() throws {
    if let core { network += try core.nextToPublish(atMost: 1) }
  }

  func arrive() throws {
    guard let core, !network.isEmpty else { return }
    let record = network.removeFirst()
    world.append(record)
    if record.sequence != nil { try core.acknowledged(1, next: Int64(world.log.count)) }
  }

  /// Nothing is left to read, to decide or to send.
  var isQuiet: Bool {
    guard let core else { return true }
    return hasClaimed && network.isEmpty && core.nextOffset >= world.log.count && core.unsentCount == 0
      && (core.status != .owning || core.state.commandPosition >= world.commands.count)
  }
}
