package import Messaging

/// Why a follower reads no further in one partition; the others go on. It stays stopped until the process is started
/// again: a mended build goes on at the same record.
package struct FollowerStop: Error, Sendable, Equatable, CustomStringConvertible {
  /// The record that it stands before, where there is one.
  package struct Place: Sendable, Equatable {
    package let offset: Int64
    package let sequence: Int64?
    package let type: String
    package let id: MessageID
  }

  package let partition: ServicePartition
  package let place: Place?
  /// One clause: what is wrong.
  package let reason: String
  /// One clause: what to do.
  package let advice: String

  package init(_ partition: ServicePartition, at record: ValidRecord?, _ reason: String, advice: String) {
    self.partition = partition
    place = record.map {
      Place(offset: $0.offset, sequence: $0.message.sequence, type: $0.message.type, id: $0.message.id)
    }
    self.reason = reason
    self.advice = advice
  }

  package var description: String {
    guard let place else { return "stopped at \(partition): \(reason); \(advice)" }
    let receipt = place.sequence.map { partition.receipt($0).description } ?? "\(partition)"
    return "stopped before \(receipt) (offset \(place.offset), \(place.type), id \(place.id)): \(reason); \(advice)"
  }
}
