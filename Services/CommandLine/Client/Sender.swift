import Messaging

/// Sends writes one after the other and reports each.
struct Sender {
  let context: Context
  let type: String
  /// `Added`.
  let past: String
  /// `item`.
  let kind: String

  init(_ context: Context, type: String, past: String, kind: String) {
    self.context = context
    self.type = type
    self.past = past
    self.kind = kind
  }

  /// Throws the gravest failure once all have been tried; stops early where the server cannot be reached.
  func send(_ writes: [Write]) async throws {
    do {
      try await sendAll(writes)
    } catch {
      await context.close()
      throw error
    }
    await context.close()
  }

  private func sendAll(_ writes: [Write]) async throws {
    let id = try commandID()
    var documents: [JSON] = []
    var worst: Failure?
    let progress = Progress.begin(context.console, "sending", total: writes.count)
    defer { progress.finish() }
    for (index, given) in writes.enumerated() {
      var write = given
      write.label = Sender.label(given.label, index)
      let command = index == 0 ? id : MessageID.next()
      do {
        let answer = try await context.api.write(
          type, .object(write.data), id: command, actor: context.api.actor, patience: context.patience)
        documents.append(answer.json)
        progress.clear()
        if !report(answer, write, isLast: writes.count == 1) { worst = Failure(status: .refused, message: "") }
        progress.advance()
      } catch let undecided as Undecided {
        progress.finish()
        printDocuments(documents, writes.count)
        throw undecided.failure
      }
    }
    progress.finish()
    printDocuments(documents, writes.count)
    if let worst { throw worst }
  }

  /// As people read it: without the blanks around it, which no text keeps; the place of one that is blank.
  static func label(_ text: String, _ index: Int) -> String {
    let trimmed = text.drop(while: \.isWhitespace)
    guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else {
      return "number \(index + 1), which is blank"
    }
    return String(trimmed[...last])
  }

  private func commandID() throws -> MessageID {
    guard let text = context.invocation.value("command-id") else { return .next() }
    guard let id = MessageID(text) else { throw Failure.usage("--command-id takes a UUID, not \"\(text)\"") }
    return id
  }

  private func printDocuments(_ documents: [JSON], _ asked: Int) {
    guard context.mode == .json else { return }
    if asked > 1 {
      context.console.print(JSON.array(documents).text)
    } else if let only = documents.first {
      context.console.print(only.text)
    }
  }

  /// Whether it was accepted.
  private func report(_ answer: Answer, _ write: Write, isLast: Bool) -> Bool {
    let console = context.console
    if context.mode == .ndjson { console.print(answer.json.text) }
    guard answer.isAccepted else {
      let failure = Failure(answer.status, answer.json)
      context.complain(isLast ? failure.message : "\(write.label): \(failure.message)")
      return false
    }
    let id = answer.json["id"]?.string
    switch context.mode {
    case .people:
      let style = console.outputStyle
      var line = "\(style.green(past)) \(kind.isEmpty ? "" : kind + " ")\(style.bold(Table.oneLine(write.label)))"
      if let id { line += "  " + Values.ending(id) }
      if let receipt = answer.json["receipt"]?.string { line += style.faint("  \(receipt)") }
      console.print(line)
    case .quiet: console.print(id ?? answer.json["receipt"]?.string ?? "")
    case .json, .ndjson: break
    }
    return true
  }
}
