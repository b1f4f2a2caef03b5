import Foundation
package import Messaging
package import ServiceKit

/// The ends of all chains, kept in `head.json` outside the database. It is written after the commit, so the database may
/// be ahead of it, never behind: a history that was cut off or written anew shows.
package struct AuditHead: Sendable, Equatable {
  /// The last record of a partition's chain.
  package struct End: Sendable, Equatable {
    package let sequence: Int64
    package let hash: [UInt8]
    package init(sequence: Int64, hash: [UInt8]) {
      self.sequence = sequence
      self.hash = hash
    }
  }

  package var ends: [ServicePartition: End]

  package init(_ ends: [ServicePartition: End] = [:]) { self.ends = ends }

  package static func path(in folder: String) -> String { folder + "/head.json" }

  /// The file's text: the same for the same history, in every log.
  package var json: JSON {
    [
      "heads": .array(
        ends.sorted { $0.key < $1.key }.map { partition, end in
          [
            "service": .string(partition.service), "partition": JSON(partition.partition),
            "sequence": .integer(end.sequence), "hash": .string(Digest.hex(end.hash)),
          ]
        })
    ]
  }

  package func write(to path: String) throws { try Durable.write(json.bytes + [0x0a], to: path) }

  /// Nil where there is no file. Throws `Unreadable` where it does not hold what it should.
  package static func read(_ path: String) throws(Unreadable) -> AuditHead? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    guard let heads = (try? JSON(parsing: [UInt8](data)))?["heads"]?.array else { throw Unreadable(path: path) }
    var head = AuditHead()
    for end in heads {
      guard let service = end["service"]?.string, let partition = end["partition"]?.integer,
        let sequence = end["sequence"]?.integer, let hash = end["hash"]?.string.flatMap(bytes)
      else { throw Unreadable(path: path) }
      head.ends[ServicePartition(service, Int(partition))] = End(sequence: sequence, hash: hash)
    }
    return head
  }

  package struct Unreadable: Error, CustomStringConvertible {
    let path: String
    package var description: String { "\(path) is not the head file that the audit wrote" }
  }

  /// 32 bytes from 64 hexadecimal digits.
  private static func bytes(_ hex: String) -> [UInt8]? {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 64, hex.utf8.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }
}
