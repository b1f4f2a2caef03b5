import Messaging
import SQLite

extension Listing {
  static let books = Listing(
    kind: .book,
    joins: "LEFT JOIN genre AS g ON g.origin = e.genre",
    sorts: [
      Sort("title", .always("e.title_sort")), Sort("addedAt", .always("e.added_at")),
      Sort("isRead", .always("e.is_read")), Sort("readOn", .maybe("e.read_on")), Sort("rating", .maybe("e.rating")),
      Sort("genre", .maybe("g.name_sort")),
      Sort(
        "author",
        .maybe(
          """
          (SELECT min(a.name_sort) FROM book_author AS x CROSS JOIN author AS a ON a.origin = x.author
            WHERE x.book = e.origin)
          """)),
    ],
    defaultSort: "title",
    filters: [
      .titled,
      .link(
        "author", to: .author, Restriction.Link(table: "book_author", row: "book", by: "author"), count: "book_count"),
      .reference("genre", to: .genre, column: "e.genre", count: "book_count", order: "e.title_sort"),
      .flag("read", "e.is_read = 1", "e.is_read = 0", order: "e.title_sort"),
      Filter("rating") { value, _ in
        switch value {
        case "none": return .condition("e.rating IS NULL", [], order: "e.title_sort")
        case "any": return .condition("e.rating IS NOT NULL", [])
        default:
          guard let rating = Int64(value), (1...5).contains(rating) else {
            throw Problem.invalid("rating", "must be 1 to 5, none or any")
          }
          return .condition("e.rating = ?", [.integer(rating)], order: "e.title_sort")
        }
      },
    ])

  static let authors = Listing(
    kind: .author, sorts: [Sort("name", .always("e.name_sort")), Sort("bookCount", .always("e.book_count"))],
    defaultSort: "name", filters: [.named])

  static let genres = Listing(
    kind: .genre, sorts: [Sort("name", .always("e.name_sort")), Sort("bookCount", .always("e.book_count"))],
    defaultSort: "name", filters: [.named])
}
