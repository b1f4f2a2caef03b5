/// The names of workspaces: one household or organisation each, the unit of uniqueness, ordering and scaling.
package enum Workspace {
  /// Where nothing else is said.
  package static let main = "main"

  /// `[a-z0-9][a-z0-9._-]{0,62}`.
  package static func isValid(_ name: String) -> Bool {
    let utf8 = name.utf8
    guard (1...63).contains(utf8.count), let first = utf8.first, isLetterOrDigit(first) else { return false }
    return utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2e || $0 == 0x5f || $0 == 0x2d }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
  }

  /// The partition of a key among `count`, as Java clients place it: murmur2, sign bit dropped.
  package static func partition(of key: String, count: Int) -> Int {
    Int(murmur2(Array(key.utf8)) & 0x7fff_ffff) % count
  }

  /// The 32-bit murmur2 hash with the seed of Kafka's Java client (`org.apache.kafka.common.utils.Utils`).
  static func murmur2(_ data: [UInt8]) -> UInt32 {
    let multiplier: UInt32 = 0x5bd1_e995
    var hash = 0x9747_b28c ^ UInt32(truncatingIfNeeded: data.count)
    let whole = data.count / 4 * 4
    for at in stride(from: 0, to: whole, by: 4) {
      var word = UInt32(data[at]) | UInt32(data[at + 1]) << 8 | UInt32(data[at + 2]) << 16 | UInt32(data[at + 3]) << 24
      word = word &* multiplier
      word ^= word >> 24
      word = word &* multiplier
      hash = hash &* multiplier ^ word
    }
    if data.count > whole {
      for at in (whole..<data.count).reversed() { hash ^= UInt32(data[at]) << (8 * UInt32(at - whole)) }
      hash = hash &* multiplier
    }
    hash ^= hash >> 13
    hash = hash &* multiplier
    return hash ^ hash >> 15
  }
}
