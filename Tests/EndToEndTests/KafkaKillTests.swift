import Foundation
import Messaging
import Synchronization
import Testing

extension Trait where Self == ConditionTrait {
  static var onRealBroker: Self {
    .enabled(if: KafkaBroker.address != nil, "no real broker: DAYBOOK_TEST_KAFKA is not set")
  }
}

@Suite("Kafka end to end", .serialized, .onRealBroker) struct KafkaEndToEndTests {
  /// How often a process or the broker is killed: 40 unless the environment asks for another number.
  static let kills = ProcessInfo.processInfo.environment["DAYBOOK_TEST_KAFKA_KILLS"].flatMap(Int.init) ?? 40

  @Test(.timeLimit(.minutes(30)))
  func `nothing that was answered is lost, doubled or reordered by kill -9 of any process and of the broker`()
    async throws
  {
    let world = try KafkaWorld()
    try world.start()
    try await world.untilReady()
    let seed = UInt64.random(in: 0...UInt64.max)
    let load = BackgroundLoad(seed: seed, port: world.port)
    var random = SplitMix(state: seed)
    var victims = KafkaWorld.parts
    // The broker takes the longest to come back: now and then is enough.
    if KafkaBroker.canBeKilled { victims.append("broker") }
    var brokerKills = 0
    for kill in 0..<Self.kills {
      let isBroker = KafkaBroker.canBeKilled && kill % 20 == 7
      let victim = isBroker ? "broker" : victims[Int.random(in: 0..<KafkaWorld.parts.count, using: &random)]
      await load.untilAnswered(Int.random(in: 0...60, using: &random), within: .seconds(20))
      usleep(UInt32.random(in: 0...8000, using: &random))
      if isBroker {
        try KafkaBroker.kill()
        try KafkaBroker.start()
        brokerKills += 1
      } else {
        world.kill(victim)
        try world.start([victim])
      }
    }
    try await world.untilReady(within: .seconds(90))
    let told = await load.finish()
    #expect(told.allSatisfy { $0.answer != nil })
    #expect(told.contains { $0.answer?.status == 200 } && told.contains { $0.answer?.status == 409 })
    let rows = try await ReadModel.entities(world.server)
    for (part, end) in world.stop() {
      #expect(end.status == 0, "\(part): \(world.said(part).suffix(500))")
      #expect(end.seconds < 5, "\(part) took \(end.seconds) s to stop")
    }
    #expect(try await world.findings(told, rows: rows) == [], "seed \(seed)")
    print("\(Self.kills) kills, \(brokerKills) of the broker; \(told.count) commands answered")
  }
}

/// Clients that go on whatever happens to the server, in threads of their own.
final class BackgroundLoad: Sendable {
  private let load: Load
  private let port: Int
  private let isOver = Atomic(false)
  private let ended = Gate()

  private final class Gate: Sendable {
    private let group = DispatchGroup()
    init() { group.enter() }
    func open() { group.leave() }
    func wait() async {
      await withCheckedContinuation { continuation in
        group.notify(queue: .global()) { continuation.resume() }
      }
    }
  }

  init(seed: UInt64, port: Int, clients: Int = 6) {
    load = Load(seed: seed)
    self.port = port
    Thread.detachNewThread { [self] in
      while true {
        let wasOver = isOver.load(ordering: .acquiring)
        load.run(port: port, clients: clients) { [self] _ in
          wasOver || !isOver.load(ordering: .acquiring)
        }
        // Over: one more run answers what is open, and ends.
        if wasOver, load.told.allSatisfy({ $0.answer != nil }) { return ended.open() }
        // The gateway is down: it is tried again.
        usleep(20_000)
      }
    }
  }

  var answered: Int { load.answered }

  /// Returns once so many more were answered, or the time is over.
  func untilAnswered(_ more: Int, within limit: Duration) async {
    let goal = load.answered + more
    let end = ContinuousClock.now + limit
    while load.answered < goal, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Makes no new command, returns once all are answered.
  func finish() async -> [Told] {
    load.finish()
    isOver.store(true, ordering: .releasing)
    await ended.wait()
    return load.told
  }
}
