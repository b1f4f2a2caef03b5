import TestSupport
import Testing
import VisitorLogService

/// The look-ups that commands make, foreign keys among them, search an index by all that they name.
struct QueryPlanTests {
  @Test(arguments: [
    ("* FROM visit WHERE workspace = ? AND visitor = ?", "visit_by_visitor (workspace=? AND visitor=?)"),
    (
      "* FROM visit WHERE workspace = ? AND visitor = ? ORDER BY created",
      "visit_by_visitor (workspace=? AND visitor=?)"
    ),
    (
      "* FROM visit WHERE workspace = ? AND visitor = ? AND departed_at IS NULL",
      "visit_open (workspace=? AND visitor=?)"
    ),
    ("* FROM visitor_key WHERE workspace = ? AND key = ?", "PRIMARY KEY (workspace=? AND key=?)"),
    ("* FROM visitor_key WHERE workspace = ? AND visitor = ?", "visitor_key_by_visitor (workspace=? AND visitor=?)"),
    ("* FROM badge WHERE workspace = ? AND visitor = ?", "(workspace=? AND visitor=?)"),
    ("* FROM badge WHERE workspace = ? AND key = ?", "(workspace=? AND key=?)"),
  ])
  func `a look-up searches by all that it names`(lookup: String, plan: String) throws {
    let steps = try VisitorLogTester().rows("EXPLAIN QUERY PLAN SELECT \(lookup)")
    #expect(steps.contains { $0.contains("SEARCH") && $0.contains(plan) }, "\(steps)")
  }
}
