extension CommandCatalogue {
  /// The commands of the library.
  package static let library = CommandCatalogue(
    service: "library",
    [
      CommandSpec(
        "library.book.add.v1", "Adds a book.", entity: "book",
        [
          .required("title", .name, "its title"),
          .optional("authors", .names, "its authors by name, in order; those that are new are added"),
          .optional("genre", .reference("genre"), "its genre, which must be there"),
          .optional("isRead", .bool, "whether it has been read; true where readOn is given"),
          .optional("readOn", .day, "the day it was read"),
          .optional("rating", .integer, "1 to 5"),
          .optional("review", .note, "what you think of it"),
          .newID,
          .optional("addedAt", .time, "when it came; now where absent"),
        ]),
      CommandSpec(
        "library.book.edit.v1", "Changes the fields of a book that are named.", entity: "book",
        [
          .required("book", .reference("book"), "which book"),
          .optional("title", .name, "its new title"),
          .clearable("authors", .names, "all its authors by name, in order; null for none"),
          .clearable("genre", .reference("genre"), "its genre, which must be there; null for none"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.book.mark-read.v1", "Marks a book as read.", entity: "book",
        [
          .required("book", .reference("book"), "which book"),
          .clearable("readOn", .day, "the day it was read; today in UTC where absent, null where nobody knows"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.book.mark-unread.v1", "Marks a book as still to be read.", entity: "book",
        [.required("book", .reference("book"), "which book"), .ifSequence]),
      CommandSpec(
        "library.book.rate.v1", "Rates or reviews a book.", entity: "book",
        [
          .required("book", .reference("book"), "which book"),
          .clearable("rating", .integer, "1 to 5; null clears it"),
          .clearable("review", .note, "what you think of it; null clears it"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.book.remove.v1", "Removes a book; its authors and genre stay.", entity: "book",
        [.required("book", .reference("book"), "which book"), .ifSequence]),
      CommandSpec(
        "library.author.rename.v1", "Gives an author another name.", entity: "author",
        [
          .required("author", .reference("author"), "which author"), .required("name", .name, "the new name"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.author.remove.v1", "Removes an author; refused where books name them, unless detach.",
        entity: "author",
        [
          .required("author", .reference("author"), "which author"),
          .optional("detach", .bool, "take the author off their books first"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.genre.add.v1", "Adds a genre.", entity: "genre",
        [.required("name", .name, "its name, unique in the workspace"), .newID]),
      CommandSpec(
        "library.genre.rename.v1", "Gives a genre another name.", entity: "genre",
        [
          .required("genre", .reference("genre"), "which genre"), .required("name", .name, "its new name"),
          .ifSequence,
        ]),
      CommandSpec(
        "library.genre.remove.v1", "Removes a genre; books that have it stay.", entity: "genre",
        [.required("genre", .reference("genre"), "which genre"), .ifSequence]),
    ])
}
