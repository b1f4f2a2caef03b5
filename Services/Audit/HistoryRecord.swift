import Messaging
import SQLite
import ServiceKit

/// A record of the history as queries read it.
struct HistoryRecord: Sendable {
  let arrival: Int64
  let place: HistoryPlace
  let workspace: String
  let type: String
  let id: String
  let subject: String?
  let actor: String?
  let correlation: String?
  let command: String?
  let data: JSON

  /// What `init` reads, in its order.
  static let columns = """
    r.arrival, r.time, r.service, r.partition, r.sequence, r.workspace, r.type, r.id, r.subject, r.actor,
    r.correlation, r.command, r.data
    """

  init(_ row: borrowing Row) {
    arrival = row.int64(0)
    place = HistoryPlace(
      time: Timestamp(milliseconds: row.int64(1)),
      receipt: Receipt(service: row.string(2), partition: row.int(3), sequence: row.int64(4)))
    workspace = row.string(5)
    type = row.string(6)
    id = row.string(7)
    subject = row.stringOrNil(8)
    actor = row.stringOrNil(9)
    correlation = row.stringOrNil(10)
    command = row.stringOrNil(11)
    data = (try? JSON(parsing: row.bytes(12))) ?? .null
  }

  /// One line of `GET /v1/events`.
  var json: JSON { .object(object) }

  private var object: JSONObject {
    [
      "receipt": .string(place.receipt.description), "id": .string(id), "type": .string(type),
      "time": JSON(place.time), "workspace": .string(workspace), "subject": JSON(subject), "actor": JSON(actor),
      "command": JSON(command), "correlation": JSON(correlation), "data": data,
    ]
  }

  /// One item of `GET /v1/history`: besides, the entity's id, and what it was before and after where it changed or went.
  var historyJSON: JSON {
    var object = object
    object["data"] = nil
    object["entity"] = JSON(subject.flatMap(Subject.init)?.id)
    if let before = data["before"] ?? data["last"] {
      object["before"] = before
      object["after"] = data["after"] ?? .null
    }
    object["data"] = data
    return .object(object)
  }
}

/// Where a record stands in the order of all histories: by time, service, partition, sequence.
struct HistoryPlace: Sendable, Equatable {
  let time: Timestamp
  let receipt: Receipt

  init(time: Timestamp, receipt: Receipt) {
    self.time = time
    self.receipt = receipt
  }

  /// As a cursor: `1750000000000/tasks/3/42`.
  init?(cursor: String) {
    let parts = cursor.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let milliseconds = Int64(parts[0]), let receipt = Receipt(String(parts[1])) else {
      return nil
    }
    self.init(time: Timestamp(milliseconds: milliseconds), receipt: receipt)
  }
  var cursor: String { "\(time.milliseconds)/\(receipt)" }

  /// For `(time, service, partition, sequence)`.
  var values: [Value] {
    [
      .integer(time.milliseconds), .text(receipt.service), .integer(Int64(receipt.partition)),
      .integer(receipt.sequence),
    ]
  }
}
