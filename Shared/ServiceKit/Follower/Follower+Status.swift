package import HTTP
package import Messaging

extension Follower {
  /// Finds lags that stand still: records are there to be read for longer than the patience, and none was. Runs only
  /// when somebody asks for the state; sets the component, and clears it once it moves again.
  func judge() async {
    // A log that does not answer says so itself; each question to it would wait.
    guard context.log.trouble == nil else { return }
    let patience = plan.patience
    let since = Timestamp(milliseconds: Timestamp.now().milliseconds - Int64(patience / .milliseconds(1)))
    let still = progress.lanes.filter {
      progress.isOpen && $0.lane.stop == nil && ContinuousClock.now - $0.lane.moved >= patience
    }
    let found = await ask(still.map(\.partition)) { [log = context.log] in
      try? await log.offset(of: $0.events, at: since)
    }
    for (partition, lane) in still {
      guard let old = found[partition] else { continue }
      if old > lane.next {
        context.health.set(
          component(partition),
          .notReady(
            "stands still at offset \(lane.next) with at least \(old - lane.next) records to read for over "
              + "\(patience); restart it, and see its log"))
      } else {
        tellReadiness(of: partition)
      }
    }
  }

  /// Asks the log about partitions side by side: on Kafka each question may wait for a fetch on the same connection.
  private nonisolated func ask(
    _ partitions: [ServicePartition], _ question: @escaping @Sendable (ServicePartition) async -> Int64?
  ) async -> [ServicePartition: Int64] {
    await withTaskGroup(of: (ServicePartition, Int64?).self) { group in
      for partition in partitions { group.addTask { (partition, await question(partition)) } }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// `{"positions":[{"service","partition","offset","epoch","sequence"}]}`: what is committed.
  package nonisolated var positionsJSON: JSON {
    [
      "positions": .array(
        progress.lanes.map { partition, lane in
          [
            "service": .string(partition.service), "partition": JSON(partition.partition),
            "offset": .integer(lane.position.offset), "epoch": .integer(lane.position.epoch),
            "sequence": .integer(lane.position.sequence),
          ]
        })
    ]
  }

  /// `{"ready","components":[…],"positions":[{"service","partition","offset","end","sequence","epoch","lag"}]}`; `end` and
  /// `lag` (in records to read) are null where the log cannot be asked.
  package nonisolated func statusJSON() async -> JSON {
    await context.health.probe()
    var positions: [JSON] = []
    let lanes = progress.lanes
    let ends = await ask(context.log.trouble == nil ? lanes.map(\.partition) : []) { [log = context.log] in
      try? await log.bounds(of: $0.events).upperBound
    }
    for (partition, lane) in lanes {
      let end = ends[partition]
      // What was read behind a stop is still to be read.
      let next = lane.stop == nil ? lane.next : lane.position.offset
      positions.append([
        "service": .string(partition.service), "partition": JSON(partition.partition),
        "offset": .integer(lane.position.offset), "end": JSON(end), "sequence": .integer(lane.position.sequence),
        "epoch": .integer(lane.position.epoch), "lag": JSON(end.map { max(0, $0 - next) }),
      ])
    }
    var status = context.health.json.object ?? [:]
    status["positions"] = .array(positions)
    return .object(status)
  }

  /// `GET /v1/positions` and `GET /v1/status`.
  package nonisolated var routes: Router {
    var router = Router()
    router.on("GET", "/v1/positions") { request in
      try request.allow([])
      return .json(self.positionsJSON)
    }
    router.on("GET", "/v1/status") { request in
      try request.allow([])
      return .json(await self.statusJSON())
    }
    return router
  }

  /// Waits for the receipts in `after=` (repeated; `none` waits for nothing): only those of services followed here.
  /// Throws `invalid` for what is no receipt, `behind` (504) when they are not folded in time.
  package nonisolated func waitAfter(_ request: Request, timeout: Duration = .seconds(5)) async throws(Problem) {
    var receipts: [Receipt] = []
    for value in request.values("after") where value != "none" {
      guard let receipt = Receipt(value) else { throw .invalid("after", "must be a receipt such as tasks/3/42") }
      if plan.services.contains(receipt.service) { receipts.append(receipt) }
    }
    if !receipts.isEmpty { try await progress.wait(for: receipts, timeout: timeout) }
  }
}
