import ServiceKit
import Testing

@Suite struct SimulationTests {
  /// Walks in all, and in how many parts they run side by side.
  static let walks = 2_000
  static let parts = 8

  @Test(arguments: 0..<parts)
  func `in no walk is a record lost, doubled or reordered, or a client told two things`(part: Int) throws {
    let templates = try SimulatedWorld.Templates()
    var records = 0
    for seed in stride(from: part, to: Self.walks, by: Self.parts) {
      do {
        records += try SimulatedWorld(seed: seed, templates).walk()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    #expect(records > Self.walks / Self.parts * 20)
  }

  @Test(arguments: [
    ("a record counts only if it carries the epoch of the last valid claim", Validity.Rules.epoch),
    ("a claim whose epoch is not above the last valid one is void", .claimTie),
    ("a claim voids the unfinished command before it", .void),
    ("the mark moves by reading back, not by the acknowledgement", .readBack),
    ("a command is applied only once its decision is there", .whole),
    ("sequence and id are compared", .identity),
    ("decisions are folded, not only events", .decisions),
    ("an owner decides nothing before it has read up to its own claim", .claimFirst),
  ])
  func `with one rule left out a walk finds a fault`(rule: String, left: Validity.Rules) throws {
    let templates = try SimulatedWorld.Templates()
    for seed in 0..<Self.walks {
      do {
        _ = try SimulatedWorld(seed: seed, without: left, templates).walk()
      } catch {
        return
      }
    }
    Issue.record("no walk needs the rule: \(rule)")
  }
}
