import Messaging

extension OwnerService {
  private var labels: [(String, String)] { [("service", D.service), ("partition", "\(partition)")] }

  func tellOwning(_ core: OwnerCore<D>) {
    logger.log(
      .info, "owns its partition",
      [
        "epoch": .integer(core.epoch), "instance": JSON(core.claims.own.instance),
        "sequence": .integer(core.state.lastSequence), "unpublished": JSON(core.unmarkedCount),
        "folded": JSON(core.counters.folded),
      ])
    trouble.over("owns its partition again")
    context.health.set(name, .ready)
    tellOwnership(true)
  }

  func tellOwnership(_ owns: Bool) {
    context.metrics.gauge(
      "daybook_owner_owns", "1 while this process decides the partition's commands.", labels, owns ? 1 : 0)
  }

  func tellWaiting(_ why: String) {
    trouble.met(.warning, "waits and claims its partition anew: \(why)")
    context.health.set(name, .notReady("waits and claims its partition anew: \(why)"))
    context.metrics.count(
      "daybook_owner_failures_total", "Failures after which a partition was claimed anew.", labels)
  }

  func tellStopped(_ why: String) {
    logger.log(.error, "stands still: \(why)")
    context.health.set(name, .notReady(why))
    context.metrics.gauge(
      "daybook_owner_stopped", "1 where a partition stands still until somebody acts.", labels, 1)
  }

  /// Brings the metrics up to the core's counters.
  func tellCounters() {
    guard let core else { return }
    tellGauges(core)
    let (new, old) = (core.counters, told)
    guard new != old else { return }
    told = new
    func count(_ result: String, _ amount: Int) {
      guard amount > 0 else { return }
      context.metrics.count(
        "daybook_commands_decided_total", "Command records decided.", labels + [("result", result)],
        by: Double(amount))
    }
    count("accepted", new.accepted - old.accepted)
    count("refused", new.refused - old.refused)
    count("repeat", new.repeated - old.repeated)
    count("unreadable", new.unreadable - old.unreadable)
    let metrics = context.metrics
    if new.events > old.events {
      metrics.count("daybook_events_total", "Events made.", labels, by: Double(new.events - old.events))
    }
    if new.void > old.void {
      metrics.count(
        "daybook_owner_void_total", "Records of the own partition passed over because they do not count.", labels,
        by: Double(new.void - old.void))
    }
    if new.folded > old.folded {
      metrics.count(
        "daybook_owner_folded_total", "Records folded in that an earlier run had written.", labels,
        by: Double(new.folded - old.folded))
    }
  }

  private func tellGauges(_ core: OwnerCore<D>) {
    let metrics = context.metrics
    metrics.gauge(
      "daybook_outbox_records", "Events and decisions not read back from the log yet.", labels,
      Double(core.unmarkedCount))
    metrics.gauge("daybook_owner_sequence", "The last sequence.", labels, Double(core.state.lastSequence))
    metrics.gauge(
      "daybook_owner_command_position", "The offset of the next command.", labels,
      Double(core.state.commandPosition))
  }
}
