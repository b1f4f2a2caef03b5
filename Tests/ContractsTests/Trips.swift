import Contracts
import Messaging
import SQLite
import ServiceKit

// One small service as three builds of it knew it: what every kind of change to a contract needs. From version 1 to 2 a
// field came (`seats`), one went (`mood`) and one was made optional (`driver`); from 2 to 3 one was renamed (`from` to
// `start`) and one retyped (`km`, a text before).

/// `trips.trip.added.v3`.
struct Trip: EventBody, DomainEvent {
  static let type = "trips.trip.added.v3"
  let id: MessageID
  let km: Int
  let start: String
  let seats: Int
  let driver: String?

  static let contract = EventContract<Trip>(
    [.init { (trip: Trip) in trip }],
    upcasters: [
      Upcaster(from: "trips.trip.added.v1", to: "trips.trip.added.v2") { data in
        data["seats"] = 1
        data["mood"] = nil
        if data["driver"] == "" { data["driver"] = .null }
      },
      Upcaster(from: "trips.trip.added.v2", to: "trips.trip.added.v3") { (data) throws(Upcaster.Failure) in
        data["start"] = data["from"]
        data["from"] = nil
        guard let km = data["km"]?.string.flatMap(Int64.init) else { throw Upcaster.Failure("km is no number") }
        data["km"] = .integer(km)
      },
      // The same event under the name it had at first.
      Upcaster(from: "trips.tour.added.v1", to: "trips.trip.added.v1") { _ in },
    ])

  init(id: MessageID, km: Int, start: String, seats: Int, driver: String?) {
    self.id = id
    self.km = km
    self.start = start
    self.seats = seats
    self.driver = driver
  }
  init(_ reader: EventReader) throws(ContractError) {
    id = try reader.get("id")
    km = try reader.get("km")
    start = try reader.get("start")
    seats = try reader.get("seats")
    driver = try reader.get("driver")
  }
  init(type: String, data: JSON) throws(ContractError) { self = try Self.contract.read(type: type, data: data) }

  var type: String { Self.type }
  var subject: String { "trip/\(id)" }
  var json: JSON { ["id": id.json, "km": km.json, "start": start.json, "seats": seats.json, "driver": driver.json] }
  var data: JSON { json }
}

/// The rules of the build that writes version 3.
struct TripsDomain: Domain {
  static let service = "trips"
  static let schema =
    FirstTripsDomain.schema + [
      """
      ALTER TABLE trip RENAME TO old_trip;
      CREATE TABLE trip (
        workspace TEXT NOT NULL, id TEXT NOT NULL, km INTEGER NOT NULL, start TEXT NOT NULL, seats INTEGER NOT NULL,
        driver TEXT, sequence INTEGER NOT NULL, PRIMARY KEY (workspace, id)
      ) STRICT;
      INSERT INTO trip SELECT workspace, id, CAST(km AS INTEGER), origin, 1, nullif(driver, ''), sequence FROM old_trip;
      DROP TABLE old_trip;
      """
    ]
  static let tables = [(name: "trip", key: "workspace, id")]
  let db: Connection

  init(_ db: Connection) { self.db = db }

  func decide(_ command: Command, now: Timestamp) throws -> Accepted<Trip> {
    var fields = Fields(command.data)
    let trip = Trip(
      id: .next(), km: Int(fields.required("km", Fields.integer, else: 0)),
      start: fields.required("start", Fields.name, else: ""), seats: 4, driver: nil)
    try fields.finish()
    return Accepted(trip.id, [trip])
  }

  func evolve(_ event: Trip, at place: EventPlace) throws {
    try db.statement("INSERT INTO trip VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(place.workspace, event.id, event.km, event.start, event.seats, event.driver, place.sequence)
  }
}

/// `trips.trip.added.v1`.
struct FirstTrip: DomainEvent {
  let id: MessageID
  let members: JSONObject

  init(id: MessageID, members: JSONObject) {
    self.id = id
    self.members = members
  }
  init(type: String, data: JSON) throws(ContractError) {
    guard type == "trips.trip.added.v1", let object = data.object, let id = MessageID(in: data, "id")
    else { throw .unknownType(type) }
    var members = object
    members["id"] = nil
    self.init(id: id, members: members)
  }

  var type: String { "trips.trip.added.v1" }
  var subject: String { "trip/\(id)" }
  var data: JSON {
    var object = members
    object["id"] = id.json
    return .object(object)
  }
  func text(_ key: String) -> String { members[key]?.string ?? "" }
}

/// The rules of the build that wrote version 1: the command's data is the event's.
struct FirstTripsDomain: Domain {
  static let service = "trips"
  static let schema = [
    """
    CREATE TABLE trip (
      workspace TEXT NOT NULL, id TEXT NOT NULL, km TEXT NOT NULL, origin TEXT NOT NULL, mood TEXT NOT NULL,
      driver TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (workspace, id)
    ) STRICT;
    """
  ]
  static let tables = [(name: "trip", key: "workspace, id")]
  let db: Connection

  init(_ db: Connection) { self.db = db }

  func decide(_ command: Command, now: Timestamp) throws -> Accepted<FirstTrip> {
    let id = MessageID.next()
    return Accepted(id, [FirstTrip(id: id, members: command.data)])
  }

  func evolve(_ event: FirstTrip, at place: EventPlace) throws {
    try db.statement("INSERT INTO trip VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(
        place.workspace, event.id, event.text("km"), event.text("from"), event.text("mood"), event.text("driver"),
        place.sequence)
  }
}
