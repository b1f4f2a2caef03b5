import Messaging
import TasksService
import TestSupport
import Testing

struct QueryPlanTests {
  /// SQLite lists every statement that is prepared: so none is forgotten here.
  @Test func `no rule walks over a whole table, nor over a whole workspace but to delete all that is done in it`()
    throws
  {
    let tasks = try TasksTester()
    try tasks.send("project.create", ["name": "p"])
    let item = try tasks.send("item.add", ["title": "i", "project": ["name": "p"], "tags": ["t"]]).id
    try tasks.send("project.edit", ["project": ["name": "p"], "name": "q"])
    try tasks.send("item.edit", ["item": JSON(item), "title": "j"])
    try tasks.send("tag.rename", ["tag": ["name": "t"], "name": "u"])
    try tasks.send("tag.unassign", ["item": JSON(item), "tag": ["name": "u"]])
    try tasks.send("tag.assign", ["item": JSON(item), "tag": ["name": "u"]])
    for scope in [["name": "q"], nil, "any"] as [JSON] { try tasks.send("item.delete-completed", ["project": scope]) }
    _ = try tasks.refusal("project.delete", ["project": ["name": "q"], "items": "refuse"])
    try tasks.send("tag.delete", ["tag": ["name": "u"]])
    try tasks.send("item.delete", ["item": JSON(item)])
    try tasks.send("project.delete", ["project": ["name": "q"], "items": "keep"])

    let words = ["project", "item", "tag", "item_tag"]
    let statements = try tasks.rows("SELECT sql FROM sqlite_stmt").filter { sql in
      words.contains { word in ["FROM", "INTO", "UPDATE"].contains { sql.contains("\($0) \(word) ") } }
    }
    #expect(statements.count > 25)
    let walks = try statements.filter { sql in
      try tasks.rows("EXPLAIN QUERY PLAN " + sql).contains { step in
        step.contains("(workspace=?)") || step.contains("SCAN") && !step.contains("CONSTANT")
      }
    }
    #expect(walks.allSatisfy { $0.contains("?2 IS NULL AND item.completed_at IS NOT NULL") }, "\(walks)")
  }
}
