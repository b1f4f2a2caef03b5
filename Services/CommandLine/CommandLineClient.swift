import HTTP
import ServiceKit

/// The client `daybook`.
package enum CommandLineClient {
  /// Runs one command line and returns the exit status: 0 done, 1 refused, 2 wrong usage, 3 not reachable or timed
  /// out, 4 verification failed.
  package static func run(_ arguments: [String], console: Console) async -> Int32 {
    do {
      switch try Root.parser.parse(arguments, console: console) {
      case .help(let path): console.write(Root.help.text(path, style: console.outputStyle))
      case .run(let invocation):
        guard let run = invocation.node.run else { return 0 }
        try await run(invocation)
      }
      return 0
    } catch {
      return report(error, console)
    }
  }

  /// The one place where an error becomes a sentence and an exit status.
  private static func report(_ error: any Error, _ console: Console) -> Int32 {
    let failure = failure(error)
    if !failure.message.isEmpty {
      console.say("\(console.errorStyle.red("daybook")): \(failure.message)")
    }
    return failure.status.rawValue
  }

  private static func failure(_ error: any Error) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let error as HTTPClientError: .unreachable(error.description)
    case let error as UsageError: .usage(error.description)
    case is CancellationError: Failure(status: .unreachable, message: "")
    default: .refused(Serve.sentence(error))
    }
  }
}
