import Messaging

extension Nouns {
  private static let section = "Visitor log"

  static let visitor = Noun(
    name: "visitor", plural: "visitors", section: section, summary: "Visitors, by name", label: "name",
    columns: [
      .id, .text("NAME", "name"), .text("BADGE", "badge", optional: true),
      .number("VISITS") { Values.plain($0["visitCount"]) },
      .text("REGISTERED", "registeredAt", elastic: false),
    ],
    filters: [], sorts: ["name", "lastName", "firstName", "registeredAt", "visitCount"])

  static let visit = Noun(
    name: "visit", plural: "visits", section: section, summary: "Visits: who came when, and left when",
    label: "visitor",
    isNamed: false,
    columns: [
      .id, .text("VISITOR", "visitor", optional: true), .text("ARRIVED", "arrivedAt", elastic: false),
      .cell("DEPARTED") { row, clock in
        row["departedAt"]?.isNull == false
          ? Table.Cell(Values.time(row["departedAt"], clock)) : Table.Cell("in", .good)
      },
    ],
    filters: [
      .text("visitor", "NAME", "only those of this visitor"),
      .moment("from", "only those that began at this time or later"),
      .moment("to", "only those that began before this time"),
      .flag("open", "open", "true", "only those that have not ended"),
      .flag("ended", "open", "false", "only those that have ended"),
    ],
    sorts: ["arrivedAt", "departedAt", "visitor"],
    listExamples: ["daybook visit list --from yesterday --open"])

  static let badge = Noun(
    name: "badge", plural: "badges", section: section, summary: "Badges, and who has them", label: "number",
    columns: [.id, .text("NUMBER", "number"), .text("VISITOR", "visitor")],
    filters: [
      .flag("free", "free", "true", "only those that nobody has"),
      .flag("issued", "free", "false", "only those that somebody has"),
    ],
    sorts: ["number", "visitor"])

  static let visitorVerbs: [Verb] = [
    Verb(
      name: "register", synonyms: ["add", "create", "new"], type: "visitorlog.visitor.register.v1", past: "Registered",
      subject: .custom([
        Argument(
          name: "NAME", count: .any,
          help: "first and last name, or a full name in quotation marks; - reads full names from standard input")
      ]) { context, words in try register(context, words) },
      examples: ["daybook visitor register Ada Lovelace", "daybook visitor register --last Lovelace"]),
    Verb(
      name: "edit", type: "visitorlog.visitor.rename.v1", past: "Changed",
      subject: .existing(visitor, field: "visitor"),
      examples: ["daybook visitor edit Lovelace --first Augusta"]),
    Verb(
      name: "rename", type: "visitorlog.visitor.rename.v1", past: "Renamed",
      subject: .custom([
        Argument(name: "VISITOR", help: "full or last name, id or the end of it"),
        Argument(name: "NEW-NAME", count: .several, help: "first and last name, or a full name in quotation marks"),
      ]) { context, words in
        let name = try fullName(Array(words.dropFirst()), context)
        let data: JSONObject = [
          "visitor": try await context.reference(visitor, words[0]), "firstName": name.first, "lastName": name.last,
        ]
        return [Write(label: words[0], data: data)]
      },
      summary: "Gives a visitor another name", examples: ["daybook visitor rename Lovelace Augusta King"],
      without: ["visitor", "firstName", "lastName"]),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "visitorlog.visitor.remove.v1", past: "Removed",
      subject: .existing(visitor, field: "visitor"), examples: ["daybook visitor remove Lovelace --dry-run"],
      impact: Impact(noun: visitor, field: "visitor") { context, id in
        let visits = try await Impact.count(context, visit, [("visitor", id.description)])
        let row = try await context.api.get("\(visitor.path)/\(id)")
        let badges = row["badge"].map { $0.isNull ? 0 : 1 } ?? 0
        return [
          .init(count: visits, noun: visit, fate: "will be deleted with it"),
          .init(count: badges, noun: badge, fate: "comes back"),
        ]
      }),
  ]

  private static func register(_ context: Context, _ words: [String]) throws -> [Write] {
    let options = context.invocation
    if options.has("first") || options.has("last") {
      guard words.isEmpty else { throw Failure.usage("a name and --first or --last exclude one another") }
      let label = [options.value("first"), options.value("last")].compactMap(\.self).joined(separator: " ")
      return [Write(label: label, data: [:])]
    }
    guard !words.isEmpty else { throw Failure.usage("daybook visitor register needs a name") }
    // Lines of standard input are full names; words of the command line are one name.
    let names = options.arguments == ["-"] ? words.map { [$0] } : [words]
    return try names.map { parts in
      let name = try fullName(parts, context)
      return Write(label: parts.joined(separator: " "), data: ["firstName": name.first, "lastName": name.last])
    }
  }

  /// First and last name of two words, of `Last, First`, or of one text (split at its last blank). A single word is a
  /// first name.
  static func fullName(_ words: [String], _ context: Context) throws -> (first: JSON, last: JSON) {
    guard words.count <= 2 else {
      throw Failure.usage(
        "\(context.invocation.words) takes a first and a last name; put names with spaces in quotation marks")
    }
    if words.count == 2 { return (.string(words[0]), .string(words[1])) }
    let text = (words.first ?? "").split(separator: " ").joined(separator: " ")
    if let comma = text.firstIndex(of: ",") {
      let first = text[text.index(after: comma)...].drop { $0 == " " }
      return (.string(String(first)), .string(String(text[..<comma])))
    }
    guard let blank = text.lastIndex(of: " ") else { return (.string(text), .null) }
    return (.string(String(text[..<blank])), .string(String(text[text.index(after: blank)...])))
  }

  static let visitVerbs: [Verb] = [
    Verb(
      name: "record", synonyms: ["add", "create", "start"], type: "visitorlog.visit.record.v1", past: "Recorded",
      subject: .existing(visitor, field: "visitor"),
      examples: ["daybook visit record Lovelace", "daybook visit record \"Ada Lovelace\" --at \"yesterday 14:30\""],
      names: ["arrivedAt": "at"]),
    Verb(
      name: "end", type: "visitorlog.visit.end.v1", past: "Ended",
      subject: .custom([
        Argument(
          name: "VISITOR-OR-VISIT", count: .several,
          help: "whose open visit, by name or id; or the visit's id or the end of it; - reads them from standard input")
      ]) { context, words in
        var writes: [Write] = []
        for word in words { writes.append(Write(label: word, data: try await visitOrVisitor(context, word))) }
        return writes
      },
      examples: ["daybook visit end Lovelace --at 16:00"], names: ["departedAt": "at"],
      without: ["visit", "visitor"]),
    Verb(
      name: "edit", type: "visitorlog.visit.edit.v1", past: "Changed", subject: .existing(visit, field: "visit"),
      examples: ["daybook visit edit a1b2c3d4 --arrived 09:15 --departed 11:00"]),
    Verb(
      name: "reopen", type: "visitorlog.visit.edit.v1", past: "Reopened", subject: .existing(visit, field: "visit"),
      summary: "Opens a visit again that was ended", examples: ["daybook visit reopen a1b2c3d4"],
      without: ["arrivedAt", "departedAt"], adjust: { _, data in data["departedAt"] = .null }),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "visitorlog.visit.remove.v1", past: "Removed",
      subject: .existing(visit, field: "visit"), examples: ["daybook visit remove a1b2c3d4"],
      impact: Impact(noun: visit, field: "visit")),
  ]

  /// A text that is a visit's id (or ends one) names the visit; anything else names a visitor.
  private static func visitOrVisitor(_ context: Context, _ text: String) async throws -> JSONObject {
    if let id = MessageID(text) {
      let isVisit = try await context.api.find("\(visit.path)/\(id)") != nil
      return [isVisit ? "visit" : "visitor": JSON(id)]
    }
    if let id = try await context.endingID(visit, text) { return ["visit": JSON(id)] }
    return ["visitor": try await context.reference(visitor, text)]
  }

  static let badgeVerbs: [Verb] = [
    Verb(
      name: "add", synonyms: ["create", "new"], type: "visitorlog.badge.add.v1", past: "Added",
      subject: .new(field: "number", argument: "NUMBER"), examples: ["daybook badge add B-1 B-2"]),
    Verb(
      name: "issue", synonyms: ["give"], type: "visitorlog.badge.issue.v1", past: "Issued",
      subject: .custom([
        Argument(name: "BADGE", help: "its number, its id or the end of it"),
        Argument(name: "VISITOR", help: "who gets it, by name or id"),
      ]) { context, words in
        let data: JSONObject = [
          "badge": try await context.reference(badge, words[0]),
          "visitor": try await context.reference(visitor, words[1]),
        ]
        return [Write(label: words[0], data: data)]
      },
      examples: ["daybook badge issue B-1 Lovelace --transfer"], without: ["badge", "visitor"]),
    Verb(
      name: "return", type: "visitorlog.badge.return.v1", past: "Returned",
      subject: .custom([
        Argument(
          name: "BADGE", count: .any, help: "its number, its id or the end of it; - reads them from standard input")
      ]) { context, words in
        if let name = context.invocation.value("visitor") {
          guard words.isEmpty else { throw Failure.usage("a badge and --visitor exclude one another") }
          return [Write(label: "of \(name)", data: ["visitor": try await context.reference(visitor, name)])]
        }
        guard !words.isEmpty else { throw Failure.usage("daybook badge return needs BADGE or --visitor") }
        var writes: [Write] = []
        for word in words {
          writes.append(Write(label: word, data: ["badge": try await context.reference(badge, word)]))
        }
        return writes
      },
      examples: ["daybook badge return B-1", "daybook badge return --visitor Lovelace"],
      without: ["badge", "visitor"], more: [.value("visitor", "NAME", "whose badge, by name or id")]),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "visitorlog.badge.remove.v1", past: "Removed",
      subject: .existing(badge, field: "badge"), examples: ["daybook badge remove B-1"],
      impact: Impact(noun: badge, field: "badge")),
  ]
}
