import Contracts
import Messaging
import Testing

/// How old versions become new ones: one trip, as each of three versions of its event wrote it.
struct UpcasterTests {
  static let id = MessageID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
  static let first: JSON = ["id": JSON(id), "km": "12", "from": "Here", "mood": "good", "driver": "Ada"]

  static let versions: [(String, JSON, Trip)] = [
    ("trips.trip.added.v1", first, Trip(id: id, km: 12, start: "Here", seats: 1, driver: "Ada")),
    ("trips.tour.added.v1", first, Trip(id: id, km: 12, start: "Here", seats: 1, driver: "Ada")),
    (
      "trips.trip.added.v1", ["id": JSON(id), "km": "7", "from": "A", "mood": "bad", "driver": ""],
      Trip(id: id, km: 7, start: "A", seats: 1, driver: nil)
    ),
    (
      "trips.trip.added.v2", ["id": JSON(id), "km": "7", "from": "A", "seats": 4, "driver": nil],
      Trip(id: id, km: 7, start: "A", seats: 4, driver: nil)
    ),
    (
      "trips.trip.added.v3", ["id": JSON(id), "km": 7, "start": "A", "seats": 4, "driver": nil],
      Trip(id: id, km: 7, start: "A", seats: 4, driver: nil)
    ),
  ]

  @Test(arguments: versions)
  func `a field that was added, removed, made optional, renamed or retyped is read from every version`(
    type: String, data: JSON, trip: Trip
  ) throws {
    #expect(try Trip.contract.read(type: type, data: data) == trip)
  }

  @Test(arguments: [
    ("trips.trip.added.v4", ContractError.newerVersion("trips.trip.added.v4")),
    ("trips.tour.added.v2", .newerVersion("trips.tour.added.v2")),
    ("trips.trip.added.v0", .unknownType("trips.trip.added.v0")),
    ("trips.trip.sunk.v1", .unknownType("trips.trip.sunk.v1")),
  ])
  func `a newer version and an unknown type are told apart`(type: String, error: ContractError) {
    #expect(throws: error) { try Trip.contract.read(type: type, data: Self.first) }
  }

  @Test func `old data that its upcaster cannot take is named by the stored type`() {
    var data = Self.first.object ?? [:]
    data["km"] = "far"
    #expect(throws: ContractError.unreadable(type: "trips.trip.added.v1", reason: "km is no number")) {
      try Trip.contract.read(type: "trips.trip.added.v1", data: .object(data))
    }
    #expect(throws: ContractError.unreadable(type: "trips.trip.added.v1", reason: "its data is not a JSON object")) {
      try Trip.contract.read(type: "trips.trip.added.v1", data: [])
    }
  }
}
