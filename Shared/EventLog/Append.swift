import Messaging
import Synchronization

/// One call of `append`, made ready on the caller's thread so that the writer only binds and steps.
final class Append: Sendable {
  /// Index of the partition in the log.
  let partition: Int
  let records: [NewRecord]
  /// The encoded headers of all records, one behind the other.
  let headers: [UInt8]
  /// Where each record's headers end in `headers`.
  let ends: [Int]
  /// About what the records take in memory.
  let size: Int
  /// Set for appends of a `LogWriter`: once one of them failed, none behind it is taken.
  let gate: Gate?
  /// Called once.
  let done: @Sendable (Result<[Int64], LogError>) -> Void

  init(
    _ records: [NewRecord], _ encoded: Encoded, to partition: Int, gate: Gate?,
    done: @escaping @Sendable (Result<[Int64], LogError>) -> Void
  ) {
    self.partition = partition
    self.records = records
    headers = encoded.headers
    ends = encoded.ends
    size = encoded.size
    self.gate = gate
    self.done = done
  }

  /// The most that one record may have, in bytes of key, headers and value together.
  static let largestRecord = 16 << 20

  /// Whether a writer's appends may still go in.
  final class Gate: Sendable {
    private let reason = Mutex<String?>(nil)
    /// Why not, or nil while they may.
    var closed: String? { reason.withLock { $0 } }
    /// Closes it; the first reason stays.
    func close(_ why: String) { reason.withLock { $0 = $0 ?? why } }
  }

  /// The encoded headers of records, and their sizes.
  struct Encoded {
    var headers: [UInt8] = []
    var ends: [Int] = []
    var size = 0

    init(_ records: [NewRecord]) throws(LogError) {
      headers.reserveCapacity(records.count * 384)
      ends.reserveCapacity(records.count)
      for record in records {
        let start = headers.count
        HeaderCoding.encode(record.headers, into: &headers)
        ends.append(headers.count)
        let bytes = headers.count - start + (record.key?.count ?? 0) + (record.value?.count ?? 0)
        guard bytes <= Append.largestRecord else {
          throw .notAppended("a record of \(bytes) bytes is larger than the \(Append.largestRecord) that the log takes")
        }
        size += bytes + record.headers.count * 64 + 160
      }
    }
  }
}
