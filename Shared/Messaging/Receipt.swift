/// The place of a decision or an event: `tasks/3/42` (service, partition, sequence).
package struct Receipt: Hashable, Sendable, CustomStringConvertible {
  package let service: String
  package let partition: Int
  package let sequence: Int64

  package init(service: String, partition: Int, sequence: Int64) {
    self.service = service
    self.partition = partition
    self.sequence = sequence
  }

  /// Exactly three parts, both numbers not negative and written in the shortest way; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let partition = Int(parts[1]), partition >= 0,
      let sequence = Int64(parts[2]), sequence >= 0
    else { return nil }
    self.init(service: String(parts[0]), partition: partition, sequence: sequence)
    guard description == text else { return nil }
  }

  package var description: String { "\(service)/\(partition)/\(sequence)" }
}
