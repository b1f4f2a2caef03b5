import HTTP
import KafkaLog
import ServiceKit

/// The client `daybook`.
package enum CommandLineClient {
  /// Runs one command line and returns the exit status: 0 done, 1 refused, 2 wrong usage, 3 not reachable or timed
  /// out, 4 verification failed.
  package static func run(_ arguments: [String], console: Console) async -> Int32 {
    let status = await done(arguments, console)
    guard let reason = console.outputFailure() else { return status }
    let told = report(Failure.refused("standard output took not all of it: \(reason)"), console)
    return status == 0 ? told : status
  }

  /// As above, of arguments as the system hands them over, the program's name left out.
  package static func run(bytes: [[UInt8]], console: Console) async -> Int32 {
    var arguments: [String] = []
    for (index, bytes) in bytes.enumerated() {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        let shown = Table.oneLine(String(decoding: bytes, as: UTF8.self))
        return report(Failure.usage("argument \(index + 1) (\(shown)) is not UTF-8"), console)
      }
      arguments.append(text)
    }
    return await run(arguments, console: console)
  }

  private static func done(_ arguments: [String], _ console: Console) async -> Int32 {
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
    case let error as KafkaSettingsError: .usage(error.description)
    case let error as UsageError: .usage(error.description)
    case is CancellationError: Failure(status: .unreachable, message: "")
    default: .refused(Serve.sentence(error))
    }
  }
}
