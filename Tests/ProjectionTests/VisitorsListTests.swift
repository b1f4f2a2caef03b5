import Messaging
import Testing

@Suite struct VisitorsListTests {
  @Test func `visitors are listed by last name, then first name, and called so`() async throws {
    let model = try await ReadModelFixture()
    for (first, last) in [("Ada", "Lovelace"), ("Bob", "Åberg"), ("Grace", "Hopper"), ("Ada", "Hopper"), ("Plato", "")]
    {
      try model.send("visitorlog.visitor.register.v1", ["firstName": .string(first), "lastName": .string(last)])
    }
    try model.send("visitorlog.visitor.register.v1", ["lastName": "Zeno"])
    #expect(
      try await model.names("visitors")
        == ["Plato", "Åberg, Bob", "Hopper, Ada", "Hopper, Grace", "Lovelace, Ada", "Zeno"])
    #expect(try await model.names("visitors", [("q", "ada lov")]) == ["Lovelace, Ada"])
    #expect(try await model.names("visitors", [("q", "lovelace, a")]) == ["Lovelace, Ada"])
    #expect(try await model.names("visitors", [("name", "hopper")]) == ["Hopper, Ada", "Hopper, Grace"])
    #expect(try await model.names("visitors", [("name", "Grace Hopper")]) == ["Hopper, Grace"])
    #expect(try await model.names("visitors", [("name", "Hopper Grace")]) == ["Hopper, Grace"])
    #expect(try await model.names("visitors", [("sort", "-registeredAt"), ("limit", "1")]) == ["Zeno"])
  }

  @Test func `a visitor carries the newest visits and the badge, a badge its holder`() async throws {
    let model = try await ReadModelFixture()
    let ada = try model.send("visitorlog.visitor.register.v1", ["firstName": "Ada", "lastName": "Lovelace"])
    let badge = try model.send("visitorlog.badge.add.v1", ["number": "B-1"])
    try model.send("visitorlog.badge.add.v1", ["number": "B-2"])
    try model.send("visitorlog.badge.issue.v1", ["visitor": JSON(ada), "badge": JSON(badge)])
    let early = try model.send(
      "visitorlog.visit.record.v1",
      ["visitor": JSON(ada), "arrivedAt": "2026-05-25T08:00:00Z"])
    try model.send("visitorlog.visit.end.v1", ["visit": JSON(early), "departedAt": "2026-05-25T09:00:00Z"])
    let late = try model.send(
      "visitorlog.visit.record.v1", ["visitor": JSON(ada), "arrivedAt": "2026-05-25T10:00:00Z"])
    let row = try await model.get("visitors/\(ada)")
    #expect(row["name"] == "Lovelace, Ada")
    #expect(row["badge"] == ["id": JSON(badge), "number": "B-1"])
    #expect(row["visits"]?.array?.compactMap { $0["id"] } == [JSON(late), JSON(early)])
    #expect(row["visitCount"] == 2)
    let holder: JSON = ["id": JSON(ada), "name": "Lovelace, Ada"]
    #expect(try await model.get("badges/\(badge)")["visitor"] == holder)
    #expect(try await model.get("visits/\(late)")["visitor"] == holder)
    #expect(try await model.names("badges", [("free", "true")]) == ["B-2"])
    #expect(try await model.names("badges", [("free", "false")]) == ["B-1"])
    try model.send("visitorlog.visitor.remove.v1", ["visitor": JSON(ada)])
    #expect(try await model.names("badges", [("free", "true")]) == ["B-1", "B-2"])
    #expect(try await model.get("visits")["count"] == 0)
  }

  /// Times of arrival in order, for a query.
  @Test(
    arguments: [
      ("", "4 3 2 1"), ("sort=arrivedAt", "1 2 3 4"), ("visitor=Ada Lovelace", "3 1"),
      ("visitor=lovelace", "4 3 1"), ("visitor=nobody", ""), ("open=true", "4 2"),
      ("open=false", "3 1"), ("from=2026-05-02T00:00:00Z", "4 3 2"),
      ("to=2026-05-02T00:00:00Z", "1"),
      ("from=2026-05-02T00:00:00Z&to=2026-05-04T00:00:00+00:00", "3 2"),
      ("visitor=lovelace&open=true", "4"), ("q=grace", "2"), ("q=LOVE", "4 3 1"),
      ("sort=departedAt", "1 3 2 4"), ("sort=visitor,arrivedAt", "2 1 3 4"),
    ] as [(String, String)])
  func `visits are filtered and sorted`(query: String, days: String) async throws {
    let model = try await ReadModelFixture()
    for (first, last) in [("Ada", "Lovelace"), ("Grace", "Hopper"), ("Byron", "Lovelace")] {
      try model.send("visitorlog.visitor.register.v1", ["firstName": .string(first), "lastName": .string(last)])
    }
    for (day, name) in [(1, "Ada Lovelace"), (2, "Grace Hopper"), (3, "Ada Lovelace"), (4, "Byron Lovelace")] {
      let visit = try model.send(
        "visitorlog.visit.record.v1",
        ["visitor": ["name": .string(name)], "arrivedAt": .string("2026-05-0\(day)T00:00:00Z")])
      guard day % 2 == 1 else { continue }
      try model.send(
        "visitorlog.visit.end.v1", ["visit": JSON(visit), "departedAt": .string("2026-05-0\(day)T01:00:00Z")])
    }
    let found = try await model.names("visits?\(query)", [], "arrivedAt").map { String($0.dropFirst(9).prefix(1)) }
    #expect(found == days.components(" "))
    #expect(try await model.get("visits?\(query)")["count"] == JSON(found.count))
  }

  @Test func `a visitor who is renamed is found by the new name alone, and visits show it`() async throws {
    let model = try await ReadModelFixture()
    let ada = try model.send("visitorlog.visitor.register.v1", ["firstName": "Ada", "lastName": "Byron"])
    try model.send("visitorlog.visit.record.v1", ["visitor": JSON(ada)])
    try model.send("visitorlog.visitor.rename.v1", ["visitor": JSON(ada), "lastName": "Lovelace"])
    #expect(try await model.get("visitors", [("q", "byron")])["count"] == 0)
    #expect(try await model.get("visitors", [("name", "byron")])["count"] == 0)
    #expect(try await model.get("visits", [("q", "lovelace")])["count"] == 1)
    #expect(try await model.rows("visits")[0]["visitor"]?["name"] == "Lovelace, Ada")
  }
}
