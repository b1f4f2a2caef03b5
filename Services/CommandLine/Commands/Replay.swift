import EventLog
import Foundation
import Messaging
import ProjectionService
import ServiceKit

extension Commands {
  static let replay = CommandNode(
    name: "replay", summary: "Tells the story of what happened, from the beginning or any part of it",
    discussion: """
      With --into the log is folded up to --to into a read model of its own, from which
      "daybook up --read-only --data DIR" answers as of then. With --data the log of a stopped Daybook is read, else
      the server is asked.
      """,
    examples: [
      "daybook replay --from yesterday", "daybook replay --to \"2026-05-25 12:00\" --into noon",
      "daybook up --read-only --data noon",
    ],
    section: everything,
    options: rangeOptions + [
      .value("into", "DIR", "fold what happened into a read model in this folder"),
      .value("data", "DIR", "read the log of this data directory, of a Daybook that does not run"),
    ],
    run: { invocation in
      let context = try Context(invocation)
      if invocation.has("data"), invocation.isTyped("kafka") {
        throw Failure.usage("--data and --kafka name two logs; give one of them")
      }
      if let folder = invocation.value("into") {
        guard !invocation.has("from") else {
          throw Failure.usage("--into folds from the beginning, so --from has no place")
        }
        try await Fold(context, into: folder).run()
      } else {
        try await tell(context)
      }
    })

  private static func tell(_ context: Context) async throws {
    var story = Story()
    var from: Timestamp?
    var fromReceipt: String?
    if let text = context.invocation.value("from") {
      fromReceipt = Receipt(text)?.description
      if fromReceipt == nil { from = try context.clock.moment(text) }
    }
    // Read from the beginning, so that names are known; told from --from on.
    let query = try range(context).filter { $0.name != "from" }
    let source = try await StorySource(context, query: query)
    let progress = Progress.begin(context.console, "reading the log")
    defer { progress.finish() }
    var documents: [JSON] = []
    while let line = try await source.next() {
      let sentence = story.tell(line)
      progress.advance()
      let time = line.time?.string.flatMap(Timestamp.init) ?? Timestamp(milliseconds: 0)
      if let receipt = fromReceipt {
        guard line.receipt == receipt else { continue }
        (from, fromReceipt) = (time, nil)
      }
      if let from, time < from { continue }
      guard let sentence else { continue }
      progress.finish()
      switch context.mode {
      case .people: show(line, sentence, context)
      case .quiet: context.console.print(line.receipt)
      case .ndjson: context.console.print(document(line, sentence).text)
      case .json: documents.append(document(line, sentence))
      }
    }
    if let receipt = fromReceipt { throw Failure.refused("there is no record \(receipt) to begin at") }
    if context.mode == .json { context.console.print(JSON.object(["items": .array(documents)]).text) }
  }

  private static func document(_ line: EventLine, _ sentence: String) -> JSON {
    var object = line.json.object ?? [:]
    object["story"] = .string(sentence)
    return .object(object)
  }

  private static func show(_ line: EventLine, _ sentence: String, _ context: Context) {
    let style = context.console.outputStyle
    let time = line.time?.string.flatMap(Timestamp.init).map { context.clock.show($0) } ?? ""
    let place = context.api.workspace == "*" ? style.faint("[\(line.workspace)] ") : ""
    let actor = line.actor.map { style.faint("  by \(Table.oneLine($0))") } ?? ""
    context.console.print("\(style.faint(time))  \(place)\(Table.oneLine(Story.ended(sentence)))\(actor)")
  }
}
