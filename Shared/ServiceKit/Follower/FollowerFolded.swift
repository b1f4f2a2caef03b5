/// What one transaction did with a partition.
package struct FollowerFolded: Sendable, Equatable {
  package let partition: ServicePartition
  /// Events and decisions applied or passed over as unknown.
  package var applied = 0
  package var void = 0
  package var duplicates = 0
}
