import Messaging

/// Tells events as sentences that a person reads. It remembers the names that it met, because an event that changes
/// something names it by its id only.
struct Story {
  private var names: [String: String] = [:]

  init() {}

  /// One sentence without a full stop; nil for what is no news (an accepted command: its events told it).
  mutating func tell(_ line: EventLine) -> String? {
    if line.isDecision { return decision(line) }
    let name = remember(line)
    let parts = line.type.split(separator: ".").map(String.init)
    guard parts.count >= 3 else { return line.type }
    return sentence(kind: parts[1], verb: parts[2], name: name, line)
  }

  /// With a full stop, where it has none.
  static func ended(_ sentence: String) -> String { sentence.hasSuffix(".") ? sentence : sentence + "." }

  /// The name of what an event happened to, as it is after the event (before it, for what is gone).
  private mutating func remember(_ line: EventLine) -> String {
    let data = line.data
    let id = "\(line.workspace)/\(line.subject ?? data["id"]?.string ?? "")"
    let last = Story.name(data["last"])
    // What an event is called by its own data; a link names its two ends instead.
    let isLink = data["item"]?.object != nil || data["badge"]?.object != nil || data["book"]?.object != nil
    let now = isLink ? nil : Story.name(data) ?? Story.name(data["after"])
    let known = names[id]
    if let now { names[id] = now }
    if last != nil { names[id] = nil }
    return last ?? known ?? now ?? Values.ending(data["id"]?.string ?? "")
  }

  private static func name(_ json: JSON?) -> String? {
    guard let json, json.object != nil else { return nil }
    for key in ["title", "name", "number"] {
      if let text = json[key]?.string, !text.isEmpty { return text }
    }
    let parts = [json["firstName"]?.string, json["lastName"]?.string].compactMap(\.self).filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  private func decision(_ line: EventLine) -> String? {
    if line.type == Message.Kind.unreadable {
      return "A record that is no command was passed over: \(Values.plain(line.data["reason"]))"
    }
    guard let answer = line.answer, answer["status"] != "accepted" else { return nil }
    return "Refused \(line.data["commandType"]?.string ?? "a command"): \(answer["detail"]?.string ?? "")"
  }

  private func sentence(kind: String, verb: String, name: String, _ line: EventLine) -> String {
    let data = line.data
    let quoted = "\"\(name)\""
    func linked(_ key: String) -> String { "\"\(Values.plain(data[key]))\"" }
    switch (kind, verb) {
    case ("tag", "assigned"): return "Tagged item \(linked("item")) with \(linked("tag"))"
    case ("tag", "unassigned"): return "Took tag \(linked("tag")) off item \(linked("item"))"
    case ("badge", "issued"): return "Gave badge \(linked("badge")) to \(linked("visitor"))"
    case ("badge", "returned"): return "\(linked("visitor")) gave badge \(linked("badge")) back"
    case ("book", "author-detached"): return "Took author \(linked("author")) off book \(linked("book"))"
    case ("book", "genre-cleared"): return "Took genre \(linked("genre")) off book \(linked("book"))"
    case ("book", "read"): return "Read book \(quoted)\(on(data["after"]?["readOn"]))"
    case ("book", "unread"): return "Marked book \(quoted) as unread"
    case ("book", "rated"): return "Rated book \(quoted)\(changes(data))"
    case ("item", "completed"): return "Completed item \(quoted)"
    case ("item", "reopened"): return "Reopened item \(quoted)"
    case ("item", "moved"):
      let target = Values.plain(data["after"]?["project"])
      return "Moved item \(quoted) \(target.isEmpty ? "out of its project" : "to project \"\(target)\"")"
    case ("item", "cascade-deleted"): return "Deleted item \(quoted) with its project"
    case ("visit", "recorded"): return "\(Values.plain(data["visitor"])) came in"
    case ("visit", "ended"): return "\(visitor(data, name)) went out"
    case ("visit", "cascade-deleted"): return "Deleted a visit of \(visitor(data, name)) with the visitor"
    case ("visit", "removed"): return "Removed a visit of \(visitor(data, name))"
    case ("visit", "edited"): return "Changed a visit of \(visitor(data, name))\(changes(data))"
    case (_, "edited"), (_, "renamed"): return "\(Story.words(verb)) \(kind) \(quoted)\(changes(data))"
    default: return "\(Story.words(verb)) \(kind) \(quoted)\(details(data))\(counts(data))"
    }
  }

  private func visitor(_ data: JSON, _ name: String) -> String {
    let text = Values.plain(data["visitor"] ?? data["last"]?["visitor"])
    return text.isEmpty ? name : text
  }

  private func on(_ day: JSON?) -> String { day?.string.map { " on \($0)" } ?? "" }

  /// `: place home → garden, ends on 2026-05-25 → none`.
  private func changes(_ data: JSON) -> String {
    let before = data["before"]?.object ?? [:]
    let after = data["after"]?.object ?? [:]
    let changed = after.members.map { member in
      let was = Values.plain(before[member.key])
      let now = Values.plain(member.value)
      return "\(Values.words(member.key)) \(was.isEmpty ? "none" : was) → \(now.isEmpty ? "none" : now)"
    }
    return changed.isEmpty ? "" : ": " + changed.joined(separator: ", ")
  }

  /// What a new entity came with, as far as a person asks.
  private func details(_ data: JSON) -> String {
    var text = ""
    let authors = Values.plain(data["authors"])
    if !authors.isEmpty { text += " by \(authors)" }
    let project = Values.plain(data["project"])
    if !project.isEmpty { text += " in project \"\(project)\"" }
    let genre = Values.plain(data["genre"])
    if !genre.isEmpty { text += " (\(genre))" }
    if let due = data["dueOn"]?.string { text += ", due \(due)" }
    return text
  }

  /// What went with it, and what stays without it: `, with 3 items; 2 items kept`.
  private func counts(_ data: JSON) -> String {
    let fates = [
      (key: "itemsDeleted", noun: Nouns.item, before: ", with ", after: ""),
      (key: "visits", noun: Nouns.visit, before: ", with ", after: ""),
      (key: "itemsKept", noun: Nouns.item, before: "; ", after: " kept"),
      (key: "items", noun: Nouns.item, before: "; ", after: " lost it"),
      (key: "books", noun: Nouns.book, before: "; ", after: " lost it"),
      (key: "badges", noun: Nouns.badge, before: "; ", after: " free again"),
    ]
    return fates.map { fate in
      let count = Int(data["counts"]?[fate.key]?.integer ?? 0)
      return count == 0 ? "" : fate.before + fate.noun.counted(count) + fate.after
    }.joined()
  }

  /// `Deleted` for `deleted`.
  private static func words(_ verb: String) -> String {
    let text = verb.replacing("-", with: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }
}
