import LibraryService
import Messaging
import ServiceKit
import TasksService
import TestSupport
import Testing
import VisitorLogService

@testable import CommandLineClient

struct SampleTests {
  private func accepted<D: Domain>(_ rules: D.Type) throws -> Int {
    let tester = try DomainTester<D>()
    tester.now = Timestamp.now()
    let entries = Sample().entries.filter { $0.type.hasPrefix("\(D.service).") }
    for entry in entries {
      let answer = try tester.send(entry.type, entry.data, id: entry.command)
      #expect(answer.isAccepted, "\(entry.type) \(entry.data.text): \(answer.decision.answer.text)")
    }
    for entry in entries {
      let answer = try tester.send(entry.type, entry.data, id: entry.command)
      #expect(answer.isRepeat && answer.isAccepted && answer.events.isEmpty)
    }
    #expect(try tester.foldDifference() == nil)
    return entries.count
  }

  @Test func `the sample household is accepted by the rules of all three books, and once only`() throws {
    let counts = try [
      accepted(LibraryDomain.self), accepted(VisitorLogDomain.self), accepted(TasksDomain.self),
    ]
    #expect(counts.allSatisfy { $0 > 10 })
    #expect(counts.reduce(0, +) == Sample().entries.count)
  }
}
