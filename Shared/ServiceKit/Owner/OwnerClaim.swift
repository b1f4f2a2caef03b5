import Foundation
package import Messaging

/// The data of `daybook.owner.claimed.v1`: which run of which process took a partition over.
package struct OwnerClaim: Sendable, Equatable, CustomStringConvertible {
  /// Random for each run.
  package var instance: MessageID
  package var host: String
  package var process: Int

  package init(instance: MessageID, host: String, process: Int) {
    self.instance = instance
    self.host = host
    self.process = process
  }

  /// A new instance of this process.
  package static func new() -> OwnerClaim {
    OwnerClaim(instance: .next(), host: ProcessInfo.processInfo.hostName, process: Int(getpid()))
  }

  package var json: JSON {
    ["instance": JSON(instance), "host": .string(host), "process": JSON(process)]
  }

  /// Nil where the data is not a claim's.
  package init?(_ json: JSON) {
    guard let instance = json["instance"]?.string.flatMap(MessageID.init), let host = json["host"]?.string,
      let process = json["process"]?.integer
    else { return nil }
    self.init(instance: instance, host: host, process: Int(process))
  }

  package var description: String { "instance \(instance) (process \(process) on \(host))" }
}

/// Where an owner's claim on its partition stands. Outlives a database that is set aside.
package struct OwnerClaims: Sendable {
  package let own: OwnerClaim
  /// The highest epoch that any record carried.
  package var seen: Int64 = 0
  /// The claim made last; it holds once it is read back as valid.
  package var made: (id: MessageID, epoch: Int64)?
  /// The epoch under which this run owned the partition last. Another run's claim above it is never answered with a
  /// claim: only a new start does that.
  var owned: Int64?

  package init(own: OwnerClaim) { self.own = own }

  /// Whether a valid claim takes the partition from this run.
  func isTaken(by claim: Message, _ data: OwnerClaim?) -> Bool {
    guard let owned, let epoch = claim.epoch, epoch > owned else { return false }
    return data?.instance != own.instance
  }

  /// Forgets the claim made last: its writer is gone, so where it is read again it is like any other. Without this an
  /// owner that begins anew from an older mark would take its former claim for the new one, and publish twice under it.
  package mutating func withdraw() { made = nil }

  /// The next claim, of an epoch above all that were seen.
  mutating func next(source: String, partition: Int, now: Timestamp) throws(OwnerFault) -> Message {
    guard seen < Int64.max else { throw OwnerFault("the epoch \(seen) was claimed, and there is none above it") }
    let message = Message(
      id: .next(), source: source, type: Message.Kind.claimed, subject: "partition/\(partition)", time: now,
      workspace: "", epoch: seen + 1, data: own.json.bytes)
    made = (message.id, seen + 1)
    return message
  }
}
