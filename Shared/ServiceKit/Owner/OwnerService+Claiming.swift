import EventLog
import Foundation
import Messaging

extension OwnerService {
  /// The partition while it is owned: where it is read, and its one writer.
  struct Session {
    let reader: any LogReader
    let writer: any LogWriter
  }

  /// Reads the own partition to its end, claims it, and reads the claim back. A database that holds another history
  /// than the log is set aside on the way, and built anew.
  func takeOver() async throws -> Session {
    try await createTopics()
    let end = try await context.log.bounds(of: events).upperBound
    guard try open().nextOffset <= end else {
      throw OwnerFault(
        "\(name): the log ends at \(end), but this database has read up to \(try open().nextOffset): records that "
          + "counted are missing; restore the log, nothing is written until then")
    }
    try await checkHistory(try open().state)
    context.health.set(name, .starting("reads its partition: \(try open().nextOffset) of \(end)"))
    var reader = try await context.log.reader(of: events, from: try open().nextOffset)
    var writer: (any LogWriter)?
    do {
      while try open().status != .owning {
        if writer == nil, try open().nextOffset >= end {
          context.health.set(name, .starting("claims its partition"))
          writer = try await claim()
        }
        switch try take(try await nextEvents(reader, atMost: 1000)) {
        case .claimLost:
          await writer?.close()
          writer = try await claim()
        case .foreignHistory(let sequence):
          reader.close()
          try setAside(sequence)
          reader = try await context.log.reader(of: events, from: 0)
        case .read, .owns, .fenced: break
        }
      }
      guard let writer else { throw OwnerFault("\(name): it owns its partition without a claim") }
      tellOwning(try open())
      return Session(reader: reader, writer: writer)
    } catch {
      reader.close()
      await writer?.close()
      throw error
    }
  }

  /// The last record that counted stands before the mark. Where it does not, the topic was made anew under its name.
  private func checkHistory(_ state: OwnerState) async throws {
    guard let id = state.markedID else { return }
    let missing = OwnerFault(
      "\(name): record \(state.markedSequence) (id \(id)), which counted, is not in the log before position "
        + "\(state.mark): the topic was made anew; restore the log, nothing is written until then")
    guard var next = try await context.log.offset(of: events, sequence: state.markedSequence) else { throw missing }
    let reader = try await context.log.reader(of: events, from: next)
    defer { reader.close() }
    while next < state.mark {
      for record in try await self.next(reader, atMost: 100) where next < state.mark {
        if (try? Message(record))?.id == id { return }
        next = record.offset + 1
      }
    }
    throw missing
  }

  /// A new writer that has appended a claim.
  private func claim() async throws -> any LogWriter {
    let writer = try await context.log.writer(to: events)
    do {
      try await writer.append([try open().claim()])
      return writer
    } catch {
      await writer.close()
      throw error
    }
  }

  /// What is there to read; throws once there will be no more.
  nonisolated(nonsending) func next(_ reader: any LogReader, atMost limit: Int) async throws -> [Record] {
    let records = try await reader.next(atMost: limit)
    if records.isEmpty {
      try Task.checkCancellation()
      throw LogError.notAppended("the log is closed")
    }
    return records
  }

  /// Of more records than this the messages are read beside the owner's thread.
  static var few: Int { 16 }

  /// As `next`, with the messages read.
  func nextEvents(_ reader: any LogReader, atMost limit: Int) async throws -> [ReadRecord] {
    let records = try await next(reader, atMost: limit)
    return records.count > Self.few ? await beside { records.map(ReadRecord.init) } : records.map(ReadRecord.init)
  }

  /// Hands all of the records to the core; returns the last thing that came of it.
  func take(_ records: [ReadRecord]) throws -> OwnerProgress {
    let core = try open()
    var last = OwnerProgress.read
    var rest = records[...]
    while !rest.isEmpty {
      let progress = try core.ingest(rest)
      // What comes behind the claim is the other owner's.
      if core.isFenced { break }
      if progress != .read { last = progress }
      if case .foreignHistory = progress { return progress }
      rest = rest.drop { $0.offset < core.nextOffset }
    }
    tellCounters()
    if core.isFenced { throw OwnerFenced(by: core.status) }
    return last
  }

  /// Renames the file, which holds records that never counted. The next `open` makes a new one.
  private func setAside(_ sequence: Int64) throws {
    closeCore()
    let time = Timestamp.now().description.replacingOccurrences(of: ":", with: "-")
    let aside = "\(file.path).fenced-\(time)"
    // A write-ahead log that is still there (closing found the disk full, say) must never meet the new file.
    for suffix in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: file.path + suffix) {
      try FileManager.default.moveItem(atPath: file.path + suffix, toPath: aside + suffix)
    }
    logger.log(
      .warning,
      "another owner's record \(sequence) is in the log, where this database holds one that never counted: the "
        + "database is set aside and built anew from the log",
      ["file": .string(aside)])
  }
}

/// Another owner has claimed the partition.
struct OwnerFenced: Error, CustomStringConvertible {
  let description: String

  init<D>(by status: OwnerCore<D>.Status) {
    let who = if case .fenced(let claim?) = status { "\(claim)" } else { "another owner" }
    description =
      "\(who) took this partition over; this owner has stopped deciding and claims again when it is started anew"
  }
}
