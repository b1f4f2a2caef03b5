import EventLog
import Foundation
import Messaging
import SQLite
import ServiceKit
import TasksService

/// Commands through log and owner, many in flight, against the same rows by bare prepared statements.
struct CommandBench {
  /// How many commands of a household's commonest kind: an item with a note.
  let count: Int
  let folder: String

  /// What a command costs when nothing but SQLite writes its rows; other figures are compared with it too.
  struct Result {
    let perSecond: Double
    let floorPerSecond: Double
    /// The same rows, a command at a time: seconds of one of its three durable commits.
    let commitSeconds: Double
    /// The event topic's log, for whoever wants to replay it.
    let data: String
  }

  /// Commands of one transaction, in the run and in the floor.
  static let batch = 512

  func run() async throws -> Result {
    let data = folder + "/commands"
    let seconds = try await measure(data)
    let floor = try await floor(data)
    let many = try floor.seconds(transactions: max(1, count / Self.batch), in: folder)
    // The log takes the command and the events apart: three commits a command, each one third of it.
    let single = try floor.secondsOfSingle(of: count, in: folder)
    return Result(
      perSecond: Double(count) / seconds, floorPerSecond: Double(count) / many, commitSeconds: single / 3, data: data)
  }

  private func measure(_ data: String) async throws -> Double {
    let log = try EmbeddedLog(directory: data + "/log")
    let load = try await CommandLoad(log, data: data)
    let seconds = try await load.manyInFlight(count)
    await load.stop()
    await log.close()
    return seconds
  }

  /// What writes the same rows: the log's, the owner's, and the outbox rows that came and went.
  private struct BareWriters {
    let log: Floor
    let owner: Floor

    func seconds(transactions: Int, in folder: String) throws -> Double {
      try log.seconds(transactions: transactions, in: folder)
        + owner.seconds(transactions: transactions, in: folder)
    }

    /// Seconds of one command by itself: two transactions of the log, one of the owner; the mean of the first 500.
    func secondsOfSingle(of count: Int, in folder: String) throws -> Double {
      let some = min(500, count)
      return try
        (log.seconds(transactions: 2 * count, atMost: 2 * some, in: folder)
        + owner.seconds(transactions: count, atMost: some, in: folder)) / Double(some)
    }
  }

  private func floor(_ data: String) async throws -> BareWriters {
    let partition = Workspace.partition(of: Workspace.main, count: 4)
    var owner = try Floor(copying: data + "/tasks/\(partition).sqlite", name: "owner", except: ["outbox"])
    owner.addPassing(
      insert: "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows: try await outbox(data, partition),
      delete: "DELETE FROM outbox WHERE sequence = ?")
    return BareWriters(log: try Floor(copying: data + "/log/log.sqlite", name: "log"), owner: owner)
  }

  private func outbox(_ data: String, _ partition: Int) async throws -> [[Value]] {
    let log = try EmbeddedLog(directory: data + "/log", mode: .reading)
    let place = TopicPartition(Topic.events(TasksDomain.service), partition)
    let bounds = try await log.bounds(of: place)
    let reader = try await log.reader(of: place, from: bounds.lowerBound)
    var rows: [[Value]] = []
    var next = bounds.lowerBound
    while next < bounds.upperBound {
      for record in try await reader.next(atMost: 4096) {
        next = record.offset + 1
        guard let message = try? Message(record), let sequence = message.sequence else { continue }
        rows.append([
          .integer(sequence), .text(message.id.description), .text(message.type),
          message.subject.map(Value.text) ?? .null, .integer(message.time.milliseconds), .text(message.workspace),
          message.actor.map(Value.text) ?? .null, message.correlationID.map(Value.text) ?? .null,
          message.causationID.map { .text($0.description) } ?? .null,
          .text(String(decoding: message.data, as: UTF8.self)),
        ])
      }
    }
    reader.close()
    await log.close()
    return rows
  }
}
