import Messaging

/// Where an entity comes from, as one number: its workspace, its kind, and the sequence of the event that made it. It is
/// the row number of the entity in its table and in the search index.
///
/// A function of the log alone, so every fold gives the same numbers, whatever order partitions come in. Within a
/// workspace and kind it rises in the order of creation: it is the last word of every sort. A workspace's rows, and a
/// kind's within them, are one range.
///
/// Bits, from the highest: 19 of the workspace's hash, 4 of the kind, 40 of the sequence. Workspaces that share a hash
/// share a partition, and sequences are unique in a partition, so no number is taken twice.
struct Origin: Hashable, Sendable {
  let number: Int64

  private static let sequenceBits: Int64 = 40
  private static let kindBits: Int64 = 4
  private static let lastSequence: Int64 = 1 << sequenceBits - 1

  init(_ workspace: String, _ kind: Kind, sequence: Int64, partitionCount: Int) {
    number = Origin.base(workspace, kind, partitionCount) | sequence & Origin.lastSequence
  }

  init(number: Int64) { self.number = number }

  var sequence: Int64 { number & Origin.lastSequence }
  /// Nil for a number that no origin has.
  var kind: Kind? { Kind(rawValue: number >> Origin.sequenceBits & (1 << Origin.kindBits - 1)) }

  /// The numbers of a workspace's entities of these kinds. Other workspaces may have some in it, too.
  static func range(_ workspace: String, _ kinds: ClosedRange<Kind>, partitionCount: Int) -> ClosedRange<Int64> {
    base(
      workspace, kinds.lowerBound, partitionCount)...(base(workspace, kinds.upperBound, partitionCount)
      | lastSequence)
  }

  /// What a workspace's numbers begin with. Another workspace's may begin with the same.
  static func base(of workspace: String, partitionCount: Int) -> Int64 { base(workspace, .project, partitionCount) }

  private static func base(_ workspace: String, _ kind: Kind, _ partitionCount: Int) -> Int64 {
    // A multiple of the partition count, so that one hash means one partition.
    let hashes = (1 << 19) / partitionCount * partitionCount
    let hash = Workspace.partition(of: workspace, count: max(hashes, partitionCount))
    return Int64(hash) << (sequenceBits + kindBits) | kind.rawValue << sequenceBits
  }
}
