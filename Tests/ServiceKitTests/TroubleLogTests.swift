import Messaging
import ServiceKit
import Synchronization
import Testing

/// What was logged.
private final class Lines: Sendable {
  private let kept = Mutex<[JSON]>([])
  var logger: Logger {
    Logger(component: "test") { [self] line in
      kept.withLock { $0.append((try? JSON(parsing: line.dropLast())) ?? .null) }
    }
  }
  var messages: [String?] { kept.withLock { $0.map { $0["message"]?.string } } }
}

struct TroubleLogTests {
  private let lines = Lines()

  @Test func `a trouble has one line when it begins and one when it is over`() {
    let trouble = TroubleLog(lines.logger)
    trouble.over("works")
    for _ in 0..<100 { trouble.met(.warning, "no room") }
    trouble.over("works again")
    trouble.over("works again")
    // Within a minute of the first line the next trouble has none, nor has its end.
    trouble.met(.warning, "no room")
    trouble.over("works again")
    #expect(lines.messages == ["no room", "works again"])
  }

  @Test func `a trouble that lasts is told again once the time is over`() {
    let trouble = TroubleLog(lines.logger, every: .zero)
    for _ in 0..<3 { trouble.met(.warning, "no room") }
    #expect(lines.messages.count == 3)
  }
}
