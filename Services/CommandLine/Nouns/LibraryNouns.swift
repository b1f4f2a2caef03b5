import Messaging

extension Nouns {
  private static let section = "Library"

  static let book = Noun(
    name: "book", plural: "books", section: section, summary: "Books, read and unread", label: "title",
    columns: [
      .id,
      .cell("READ") { row, _ in row["isRead"] == true ? Table.Cell("✓", .good) : Table.Cell("·", .faint) },
      .text("TITLE", "title"), .text("AUTHORS", "authors", optional: true), .text("GENRE", "genre", optional: true),
      .cell("RATING", optional: true) { row, _ in
        let rating = Int(row["rating"]?.integer ?? 0)
        return Table.Cell(String(repeating: "★", count: max(0, min(5, rating))), .attention)
      },
    ],
    filters: [
      .text("author", "NAME", repeatable: true, "only those by this author (none, any)"),
      .text("genre", "NAME", "only those of this genre (none, any)"),
      .flag("read", "read", "true", "only those that have been read"),
      .flag("unread", "read", "false", "only those still to be read"),
      .text("rating", "N", "only those with this rating, 1 to 5 (none, any)"),
    ],
    sorts: ["title", "addedAt", "isRead", "readOn", "rating", "author", "genre"],
    listExamples: ["daybook book list --unread --author \"Frank Herbert\""])

  static let author = Noun(
    name: "author", plural: "authors", section: section, summary: "Authors; books bring them in", label: "name",
    columns: [.id, .text("NAME", "name"), .number("BOOKS", optional: true) { Values.plain($0["bookCount"]) }],
    filters: [], sorts: ["name", "bookCount"])

  static let genre = Noun(
    name: "genre", plural: "genres", section: section, summary: "Genres of books", label: "name",
    columns: [.id, .text("NAME", "name"), .number("BOOKS", optional: true) { Values.plain($0["bookCount"]) }],
    filters: [], sorts: ["name", "bookCount"])

  static let bookVerbs: [Verb] = [
    Verb(
      name: "add", synonyms: ["create", "new"], type: "library.book.add.v1", past: "Added",
      subject: .new(field: "title", argument: "TITLE"),
      examples: ["daybook book add Dune --author \"Frank Herbert\" --genre Novel --rating 5"]),
    Verb(
      name: "edit", type: "library.book.edit.v1", past: "Changed", subject: .existing(book, field: "book"),
      examples: ["daybook book edit Dune --author \"Frank Herbert\" --no-genre"]),
    Verb(
      name: "rename", type: "library.book.edit.v1", past: "Renamed",
      subject: .renamed(book, field: "book", to: "title"), summary: "Gives a book another title",
      examples: ["daybook book rename Dune \"Dune Messiah\""], without: ["authors", "genre"]),
    Verb(
      name: "read", type: "library.book.mark-read.v1", past: "Read", subject: .existing(book, field: "book"),
      examples: ["daybook book read Dune --on yesterday"], names: ["readOn": "on"],
      adjust: { context, data in
        // Today where the person is, not where the service is.
        if data["readOn"] == nil { data["readOn"] = JSON(context.clock.today) }
      }),
    Verb(
      name: "unread", type: "library.book.mark-unread.v1", past: "Unread", subject: .existing(book, field: "book"),
      examples: ["daybook book unread Dune"]),
    Verb(
      name: "rate", synonyms: ["review"], type: "library.book.rate.v1", past: "Rated",
      subject: .custom([
        Argument(name: "BOOK", help: "its title, its id or the end of it"),
        Argument(name: "RATING", count: .optional, help: "1 to 5"),
      ]) { context, words in
        var data: JSONObject = ["book": try await context.reference(book, words[0])]
        if words.count > 1 {
          guard let rating = Int64(words[1]) else {
            throw Failure.usage("a rating is a number from 1 to 5, not \"\(words[1])\"")
          }
          guard !context.invocation.has("no-rating") else {
            throw Failure.usage("a rating and --no-rating exclude one another")
          }
          data["rating"] = .integer(rating)
        }
        let clears = ["review", "no-review", "no-rating"].contains { context.invocation.has($0) }
        guard words.count > 1 || clears else { throw Failure.usage("daybook book rate needs RATING or --review") }
        return [Write(label: words[0], data: data)]
      },
      examples: ["daybook book rate Dune 5 --review \"Twice.\"", "daybook book rate Dune --no-rating"],
      without: ["book", "rating"], more: [.flag("no-rating", "no rating any more")],
      adjust: { context, data in
        if context.invocation.has("no-rating") { data["rating"] = .null }
      }),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "library.book.remove.v1", past: "Removed",
      subject: .existing(book, field: "book"), examples: ["daybook book remove Dune"],
      impact: Impact(noun: book, field: "book")),
  ]

  static let authorVerbs: [Verb] = [
    Verb(
      name: "rename", synonyms: ["edit"], type: "library.author.rename.v1", past: "Renamed",
      subject: .renamed(author, field: "author", to: "name"),
      examples: ["daybook author rename \"F. Herbert\" \"Frank Herbert\""]),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "library.author.remove.v1", past: "Removed",
      subject: .existing(author, field: "author"), examples: ["daybook author remove \"Frank Herbert\" --detach"],
      impact: Impact(noun: author, field: "author") { context, id in
        let count = try await Impact.count(context, book, [("author", id.description)])
        let fate = context.invocation.has("detach") ? "will lose it" : "forbid it without --detach"
        return [.init(count: count, noun: book, fate: fate)]
      }),
  ]

  static let genreVerbs: [Verb] = [
    Verb(
      name: "add", synonyms: ["create", "new"], type: "library.genre.add.v1", past: "Added",
      subject: .new(field: "name", argument: "NAME"), examples: ["daybook genre add Novel Poetry"]),
    Verb(
      name: "rename", synonyms: ["edit"], type: "library.genre.rename.v1", past: "Renamed",
      subject: .renamed(genre, field: "genre", to: "name"), examples: ["daybook genre rename Novel Novels"]),
    Verb(
      name: "remove", synonyms: ["delete", "rm"], type: "library.genre.remove.v1", past: "Removed",
      subject: .existing(genre, field: "genre"), examples: ["daybook genre remove Novel --dry-run"],
      impact: Impact(noun: genre, field: "genre") { context, id in
        let count = try await Impact.count(context, book, [("genre", id.description)])
        return [.init(count: count, noun: book, fate: "will be without a genre")]
      }),
  ]
}
