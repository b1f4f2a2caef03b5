import Foundation
import Messaging
import TestSupport
import Testing

@testable import CommandLineClient

/// A data directory that an earlier build left, and what that build answered from it: every later build must open it.
/// `Fixtures/README.md` tells how one is made.
@Suite(.timeLimit(.minutes(3))) struct DataFixtureTests {
  static let versions = ["v1"]
  /// The name of the fixture to make, if any.
  static let recorded = ProcessInfo.processInfo.environment["DAYBOOK_RECORD_FIXTURE"]

  @Test(.disabled(if: recorded != nil), arguments: versions)
  func `the data directory of an earlier build is opened, answers as it did, and folds to the same rows`(
    version: String
  ) async throws {
    let fixture = DataFixture(version)
    let answers = try fixture.answers()
    let folder = try TemporaryDirectory()
    let data = folder.file("data")
    try FileManager.default.copyItem(atPath: fixture.data, toPath: data)

    try await Household.running(data) { daybook in
      try await expect(answers, of: daybook)
      #expect(await daybook.run("history verify").status == 0)
    }
    for part in ["library", "visitorlog", "tasks", "projection", "audit"] {
      let checked = await Household.stopped("rebuild \(part) --check --data \(data)")
      #expect(checked.status == 0, "\(checked.output) \(checked.error)")
      let rebuilt = await Household.stopped("rebuild \(part) --data \(data)")
      #expect(rebuilt.status == 0, "\(rebuilt.output) \(rebuilt.error)")
    }
    try await Household.running(data) { daybook in
      try await expect(answers, of: daybook)
      #expect(await daybook.run("history verify").status == 0)
      // Ids and refusals are remembered for good, and it goes on.
      let again = await daybook.run("send --ndjson \(fixture.commands) --in-flight 1 --answers")
      let told = try String(contentsOfFile: fixture.path + "/told.ndjson", encoding: .utf8)
      #expect(again.output == told)
      #expect(await daybook.run("item add 'one more' --project 'House chores'").status == 0)
    }
  }

  /// Run with `DAYBOOK_RECORD_FIXTURE=v2` to make one of this build.
  @Test(.enabled(if: recorded != nil))
  func `a data directory of this build is kept`() async throws {
    let fixture = DataFixture(Self.recorded ?? "")
    let folder = try TemporaryDirectory()
    let answers = try await Household.running(folder.path) { daybook in
      try await Sample().send(to: API(server: daybook.url))
      let told = await daybook.run("send --ndjson \(fixture.commands) --in-flight 1 --answers")
      try told.output.write(toFile: fixture.path + "/told.ndjson", atomically: true, encoding: .utf8)
      return try await DataFixture.answers(of: daybook)
    }
    let lines = answers.map { JSON.object(["path": .string($0.path), "answer": $0.answer]).text + "\n" }
    try lines.joined().write(toFile: fixture.path + "/answers.ndjson", atomically: true, encoding: .utf8)
    try? FileManager.default.removeItem(atPath: fixture.data)
    try FileManager.default.copyItem(atPath: folder.path, toPath: fixture.data)
  }

  /// A later build may add members and rows of new kinds; what was answered must still be answered.
  private func expect(_ answers: [DataFixture.Answer], of daybook: Household) async throws {
    let api = try API(server: daybook.url)
    for (path, answer) in answers {
      let found = try await api.get(path.path, path.query, wait: false)
      let difference = DataFixture.difference(answer, found, at: "")
      #expect(difference == nil, "\(path.text): \(difference ?? "")")
    }
  }
}
