import EventLog
import Messaging
import ServiceKit

extension Commands {
  static let rebuild = CommandNode(
    name: "rebuild", summary: "Builds a part anew from the log, or compares it with the log",
    discussion: """
      PART is one of \(Composition.Part.allCases.map(\.rawValue).joined(separator: ", ")). Stop Daybook first: a part
      that runs is refused, and left as it is. With --check nothing is changed; where a row differs from what the log
      says, it is named and the exit status is 4. With --kafka the log is read there, and --data holds only the part.
      """,
    examples: ["daybook rebuild tasks --data ./book", "daybook rebuild projection --check"], section: running,
    arguments: [
      Argument(
        name: "PART", choices: Composition.Part.allCases.map(\.rawValue),
        help: "library, visitorlog, tasks, projection or audit")
    ],
    options: [DataFolder.option, .flag("check", "only compare")],
    run: { invocation in
      let mode = try Context.mode(invocation)
      let word = invocation.arguments[0]
      guard let part = Composition.Part(rawValue: word) else {
        let known = Composition.Part.allCases.map(\.rawValue)
        throw Failure.usage("there is no part \"\(word)\"\(Nearest.hint(word, known))")
      }
      let isCheck = invocation.has("check")
      let data = try DataFolder(invocation)
      let holder = "daybook rebuild \(word)\(isCheck ? " --check" : "")"
      let (log, count): (any EventLog, Int)
      if let kafka = try ClientLog(invocation) {
        (log, count) = try await kafka.openStory()
      } else {
        (log, count) = try await data.stoppedLog(holder: holder)
      }
      let context = ServiceContext(
        log: log, data: data.path, partitionCount: count, partitions: data.partitions(of: word), logger: .silent)
      let progress = Progress.begin(invocation.console, isCheck ? "comparing" : "folding")
      let steps = Steps()
      let advance: @Sendable (Int) -> Void = { progress.advance(by: steps.step(to: $0)) }
      do {
        if isCheck {
          let difference = try await part.check(context, progress: advance)
          progress.finish()
          await log.close()
          try report(difference, word, mode, invocation.console)
        } else {
          let built = try await part.rebuild(context, progress: advance)
          progress.finish()
          await log.close()
          report(built, word, mode, invocation.console)
        }
      } catch {
        progress.finish()
        await log.close()
        throw error
      }
    })

  private static func report(_ built: [String], _ part: String, _ mode: Context.Mode, _ console: Console) {
    switch mode {
    case .people: for line in built { console.print("Rebuilt \(line).") }
    case .quiet: break
    case .json, .ndjson: console.print(JSON.object(["part": .string(part), "rebuilt": true]).text)
    }
  }

  private static func report(
    _ difference: FoldDifference?, _ part: String, _ mode: Context.Mode, _ console: Console
  ) throws {
    switch mode {
    case .people: if difference == nil { console.print("\(part) is what the log says.") }
    case .quiet: break
    case .json, .ndjson:
      let found: JSON =
        difference.map { ["table": .string($0.table), "key": .string($0.key), "detail": .string($0.detail)] } ?? .null
      console.print(JSON.object(["part": .string(part), "holds": JSON(difference == nil), "difference": found]).text)
    }
    if let difference { throw Failure.differs("\(part) is not what the log says: \(difference)") }
  }
}
