import LibraryService
import TestSupport
import Testing

/// The look-ups that commands make, foreign keys among them, search an index by all that they name.
struct QueryPlanTests {
  @Test(arguments: [
    ("* FROM book WHERE workspace = ? AND key = ? ORDER BY created", "book_by_key (workspace=? AND key=?)"),
    ("* FROM book WHERE workspace = ? AND genre = ? ORDER BY created", "book_by_genre (workspace=? AND genre=?)"),
    ("* FROM book_author WHERE workspace = ? AND book = ? ORDER BY position", "PRIMARY KEY (workspace=? AND book=?)"),
    ("book FROM book_author WHERE workspace = ? AND author = ?", "book_author_by_author (workspace=? AND author=?)"),
    ("* FROM author WHERE workspace = ? AND key = ?", "(workspace=? AND key=?)"),
    ("* FROM genre WHERE workspace = ? AND key = ?", "(workspace=? AND key=?)"),
  ])
  func `a look-up searches by all that it names`(lookup: String, plan: String) throws {
    let steps = try LibraryTester().rows("EXPLAIN QUERY PLAN SELECT \(lookup)")
    #expect(steps.contains { $0.contains("SEARCH") && $0.contains(plan) }, "\(steps)")
  }
}
