import Messaging

extension Context {
  /// How a write names an entity: by its id where the text is one or ends one; else by its name, which the owner
  /// resolves.
  func reference(_ noun: Noun, _ text: String) async throws -> JSON {
    if let id = MessageID(text) { return JSON(id) }
    if api.isServerNamed {
      if let id = try await endingID(noun, text) { return JSON(id) }
    } else if Context.mayEndID(text), !noun.isNamed || text.contains(where: \.isNumber) {
      throw Failure.usage(
        "\"\(text)\" may be the end of an id, which only a server can look up: name one with --server URL, or give the "
          + "whole id")
    }
    guard noun.isNamed else { throw Failure.refused("there is no \(noun.name) whose id ends with \"\(text)\"") }
    return ["name": .string(text)]
  }

  /// The id of an entity that is read.
  func id(of noun: Noun, _ text: String) async throws -> MessageID {
    if let id = MessageID(text) { return id }
    if let id = try await endingID(noun, text) { return id }
    let page = try await api.get(noun.path, [("name", text), ("limit", "21")])
    return try only(noun, page, "\(noun.label) \"\(text)\"")
  }

  /// The id with that ending; nil where the text cannot be one, or none has it. A text that ends one entity's id and is
  /// another's name is ambiguous.
  func endingID(_ noun: Noun, _ text: String) async throws -> MessageID? {
    guard Context.mayEndID(text) else { return nil }
    let page = try await api.get(noun.path, [("id", text.lowercased()), ("limit", "21")])
    guard let rows = page["items"]?.array, !rows.isEmpty else { return nil }
    if noun.isNamed {
      let named = try await api.get(noun.path, [("name", text), ("limit", "21")])["items"]?.array ?? []
      let others = named.filter { row in !rows.contains { $0["id"] == row["id"] } }
      if !others.isEmpty {
        throw ambiguous(noun, rows + others, rows.count + others.count, "\(noun.label) or id \"\(text)\"")
      }
    }
    return try only(noun, page, "id that ends with \"\(text)\"")
  }

  private static func mayEndID(_ text: String) -> Bool {
    (4...35).contains(text.utf8.count) && text.allSatisfy { $0.isHexDigit || $0 == "-" }
  }

  private func only(_ noun: Noun, _ page: JSON, _ what: String) throws -> MessageID {
    let rows = page["items"]?.array ?? []
    if rows.count == 1, let id = rows[0]["id"]?.string.flatMap(MessageID.init) { return id }
    guard !rows.isEmpty else { throw Failure.refused("there is no \(noun.name) with the \(what)") }
    throw ambiguous(noun, rows, Int(page["count"]?.integer ?? Int64(rows.count)), what)
  }

  private func ambiguous(_ noun: Noun, _ rows: [JSON], _ count: Int, _ what: String) -> Failure {
    let ids = Table.Column(title: "ID")
    var table = noun.table(rows.prefix(20).map(\.self), clock)
    table.columns[0] = ids
    for index in table.rows.indices { table.rows[index][0] = Table.Cell(rows[index]["id"]?.string ?? "") }
    let lines = table.render(width: nil, style: console.errorStyle)
    return .refused("\(count) \(noun.plural) have the \(what); name one by its id:\n\(lines.dropLast())")
  }

  /// Runs the body for each, in order, says what went wrong with each, and returns the gravest failure.
  func forEach<T>(_ things: [T], _ body: (T) async throws -> Void) async throws -> Failure? {
    var worst: Failure?
    for thing in things {
      do {
        try await body(thing)
      } catch let failure as Failure where failure.status == .refused && things.count > 1 {
        complain(failure.message)
        worst = Failure(status: .refused, message: "")
      }
    }
    return worst
  }

  func complain(_ sentence: String) { console.say("\(console.errorStyle.red("daybook")): \(sentence)") }
}
