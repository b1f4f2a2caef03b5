import Messaging

/// A household in all three books, made by ordinary commands. Every command and every entity has an id of its own that
/// never changes, so sending it all again changes nothing.
struct Sample {
  struct Entry: Sendable {
    let type: String
    let data: JSON
    let command: MessageID
  }

  private(set) var entries: [Entry] = []

  /// A version 8 UUID: `kind` 0 for a command, 1 for the entity that it makes.
  private static func id(_ number: Int, kind: UInt64) -> MessageID {
    MessageID(high: 0xda1b_0000_5a3e_8000, low: 0x8000_0000_0000_0000 | kind << 32 | UInt64(number))
  }

  private mutating func send(_ type: String, _ data: JSONObject) {
    entries.append(
      Entry(type: type + ".v1", data: .object(data), command: Sample.id(entries.count + 1, kind: 0)))
  }

  /// A command that makes something.
  private mutating func make(_ type: String, _ data: JSONObject) {
    var data = data
    data["id"] = JSON(Sample.id(entries.count + 1, kind: 1))
    send(type, data)
  }

  init() {
    addTasks()
    addBooks()
    addVisitors()
  }

  private mutating func addTasks() {
    let projects: [(String, JSONObject)] = [
      ("House chores", ["place": "Home"]),
      ("Garden", ["place": "Behind the house", "startsOn": "2026-03-01", "endsOn": "2026-10-31"]),
      ("Summer holiday", ["place": "Gdańsk", "startsOn": "2026-07-04", "endsOn": "2026-07-18"]),
    ]
    for (name, more) in projects {
      var data: JSONObject = ["name": .string(name), "createdAt": "2026-01-10T09:00:00Z"]
      for member in more.members { data[member.key] = member.value }
      make("tasks.project.create", data)
    }
    let items: [(title: String, project: String?, tags: [JSON], due: JSON?, done: Bool)] = [
      ("Buy milk", "House chores", ["urgent", "shopping"], "2026-05-25", false),
      ("Sweep the stairs", "House chores", ["weekly"], nil, true),
      ("Descale the kettle", "House chores", [], nil, false),
      ("Mend the kitchen lamp", "House chores", ["urgent"], "2026-05-28", false),
      ("Wash the windows", "House chores", ["weekly"], nil, false),
      ("Sow carrots", "Garden", ["spring"], "2026-03-20", true),
      ("Prune the apple tree", "Garden", ["spring"], "2026-03-10", true),
      ("Build a bird box", "Garden", [], "2026-06-01", false),
      ("Water the tomatoes", "Garden", ["weekly"], nil, false),
      ("Book the train", "Summer holiday", ["urgent", "travel"], "2026-05-30", false),
      ("Renew the passports", "Summer holiday", ["travel"], "2026-06-10", false),
      ("Ask Søren to feed the cat 🐈", "Summer holiday", [], "2026-07-01", false),
      ("Return the library books", nil, ["shopping"], "2026-05-27", false),
      ("Call Grandmother", nil, ["weekly"], nil, false),
    ]
    for item in items {
      var data: JSONObject = [
        "title": .string(item.title), "tags": .array(item.tags), "createdAt": "2026-02-01T08:00:00Z",
      ]
      if let project = item.project { data["project"] = ["name": .string(project)] }
      if let due = item.due { data["dueOn"] = due }
      if item.done { data["completedAt"] = "2026-03-21T17:30:00Z" }
      make("tasks.item.add", data)
    }
  }

  private mutating func addBooks() {
    for genre in ["Science fiction", "Novel", "Poetry", "Cookery", "History"] {
      make("library.genre.add", ["name": .string(genre)])
    }
    let books: [(title: String, authors: [JSON], genre: String?, read: JSON?, rating: JSON?, review: JSON?)] = [
      ("Dune", ["Frank Herbert"], "Science fiction", "2026-01-18", 5, "The spice must flow."),
      ("Solaris", ["Stanisław Lem"], "Science fiction", "2026-02-02", 5, nil),
      ("The Cyberiad", ["Stanisław Lem"], "Science fiction", nil, nil, nil),
      ("Roadside Picnic", ["Arkady Strugatsky", "Boris Strugatsky"], "Science fiction", nil, nil, nil),
      ("Middlemarch", ["George Eliot"], "Novel", "2025-11-30", 4, "Long, and worth it."),
      ("Cien años de soledad", ["Gabriel García Márquez"], "Novel", nil, nil, nil),
      ("Smilla’s Sense of Snow", ["Peter Høeg"], "Novel", "2025-08-12", 3, nil),
      ("Duino Elegies", ["Rainer Maria Rilke"], "Poetry", nil, nil, nil),
      ("Salt Fat Acid Heat", ["Samin Nosrat"], "Cookery", "2026-04-05", 5, "Half of it is cooked through."),
      ("The Silk Roads", ["Peter Frankopan"], "History", nil, nil, nil),
      ("The Household Handbook", [], nil, nil, nil, nil),
    ]
    for book in books {
      var data: JSONObject = [
        "title": .string(book.title), "authors": .array(book.authors), "addedAt": "2025-06-01T12:00:00Z",
      ]
      if let genre = book.genre { data["genre"] = ["name": .string(genre)] }
      if let read = book.read {
        data["isRead"] = true
        data["readOn"] = read
      }
      if let rating = book.rating { data["rating"] = rating }
      if let review = book.review { data["review"] = review }
      make("library.book.add", data)
    }
  }

  private mutating func addVisitors() {
    let visitors: [(first: String, last: String)] = [
      ("Ada", "Lovelace"), ("Grace", "Hopper"), ("Søren", "Muñoz"), ("Aoife", "O’Brien"), ("Jürgen", "Müller"),
    ]
    for visitor in visitors {
      make(
        "visitorlog.visitor.register",
        [
          "firstName": .string(visitor.first), "lastName": .string(visitor.last),
          "registeredAt": "2026-02-14T10:00:00Z",
        ])
    }
    for badge in ["B-1", "B-2", "B-3"] { make("visitorlog.badge.add", ["number": .string(badge)]) }
    let visits: [(visitor: String, arrived: JSON, departed: JSON?)] = [
      ("Ada Lovelace", "2026-05-02T13:05:00Z", "2026-05-02T16:40:00Z"),
      ("Grace Hopper", "2026-05-02T13:20:00Z", "2026-05-02T15:00:00Z"),
      ("Søren Muñoz", "2026-05-09T09:00:00Z", "2026-05-09T18:30:00Z"),
      ("Ada Lovelace", "2026-05-23T14:00:00Z", nil),
    ]
    for visit in visits {
      make("visitorlog.visit.record", ["visitor": ["name": .string(visit.visitor)], "arrivedAt": visit.arrived])
      if let departed = visit.departed {
        send(
          "visitorlog.visit.end", ["visit": JSON(Sample.id(entries.count, kind: 1)), "departedAt": departed])
      }
    }
    send("visitorlog.badge.issue", ["badge": ["name": "B-1"], "visitor": ["name": "Ada Lovelace"]])
  }

  /// Sends it all, in order. What was sent before is answered as before; what the household has changed since (a
  /// deleted project, a renamed visitor) stays as it is.
  func send(to api: API) async throws {
    for entry in entries {
      _ = try await api.write(
        entry.type, entry.data, id: entry.command, actor: "sample", patience: API.Patience(seconds: 30, isAsked: true))
    }
  }
}
