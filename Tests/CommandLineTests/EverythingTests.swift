import Foundation
import Messaging
import TestSupport
import Testing

@testable import CommandLineClient

@Suite(.timeLimit(.minutes(2))) struct EverythingTests {
  @Test func `the task list goes through the whole job, and all of it is there after a restart`() async throws {
    let folder = try TemporaryDirectory()
    let before = try await Household.running(folder.path) { daybook in
      let created = await daybook.run("project create 'House chores' --json")
      #expect(created.status == 0)
      #expect(created.json["status"] == "accepted")
      #expect(created.json["receipt"]?.string.flatMap(Receipt.init) != nil)
      #expect(created.json["id"]?.string.flatMap(MessageID.init) != nil)
      await daybook.run("item add 'Buy milk' 'Sweep the stairs' --project 'House chores' --tag urgent --due 2026-05-25")
      let list = await daybook.run("item list --json")
      #expect(list.json["items"]?.array?.first?["tags"]?.array?.first?["name"] == "urgent")
      let refused = await daybook.run("tag create URGENT --json")
      #expect(refused.status == 1)
      #expect(refused.json["code"] == "tag-name-taken")
      #expect(refused.json["existing"] == list.json["items"]?.array?.first?["tags"]?.array?.first?["id"])
      #expect(await daybook.run("search milk -q").lines.count == 1)
      #expect(await daybook.run("history verify").status == 0)
      await daybook.run("project create Garden")
      #expect(await daybook.run("project delete 'House chores' --yes").status == 0)
      let types = await daybook.run("events --json").json["items"]?.array?.compactMap { $0["type"]?.string } ?? []
      let child = types.lastIndex(of: "tasks.item.cascade-deleted.v1")
      let parent = types.firstIndex(of: "tasks.project.deleted.v1")
      #expect(child ?? .max < parent ?? -1, "\(types)")
      return await daybook.run("project list --json").output
    }
    try await Household.running(folder.path) { daybook in
      #expect(await daybook.run("project list --json").output == before)
      #expect(await daybook.run("history verify").status == 0)
      #expect(await daybook.run("replay").output.contains("Deleted project \"House chores\""))
    }
  }

  @Test func `it is not ready, and takes no command, once the file of its log is gone`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      #expect(await daybook.run("item add Milk").status == 0)
      #expect(await daybook.run("status").status == 0)
      try FileManager.default.removeItem(atPath: folder.file("log"))
      #expect(await daybook.run("item add Lost --wait 1").status != 0)
      #expect(await daybook.run("item add Later").status != 0)
      let status = await daybook.run("status --json")
      #expect(status.output.contains("was removed or replaced while it was in use"), "\(status)")
      #expect(status.json["ready"] == false)
    }
    let again = await Household.stopped("up --port 0 --data \(folder.path)")
    #expect(again.status == 1 && again.error.contains("is missing, but the databases"))
  }

  @Test func `names, ids and endings of ids name an entity; an ambiguous one does nothing`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      let first = await daybook.run("item add Milk -q").lines[0]
      let second = await daybook.run("item add Milk --note other -q").lines[0]
      let ambiguous = await daybook.run("item complete Milk")
      #expect(ambiguous.status == 1)
      #expect(ambiguous.error.contains(first) && ambiguous.error.contains(second))
      #expect(await daybook.run("item list --done -q").lines.isEmpty)
      #expect(await daybook.run("item view Milk").status == 1)
      #expect(await daybook.run("item complete \(first.suffix(8))").status == 0)
      #expect(await daybook.run("item list --done -q").lines == [first])
      #expect(await daybook.run("item view \(second) --json").json["note"] == "other")
      #expect(await daybook.run("item view ffffffffffff").status == 1)
      #expect(await daybook.run("item delete Nothing").status == 1)
      // A title that is the end of another item's id.
      await daybook.run("item add \(second.suffix(8))")
      let both = await daybook.run("item delete \(second.suffix(8))")
      #expect(both.status == 1)
      #expect(both.error.contains("2 items have the title or id"))
      #expect(await daybook.run("item list -q").lines.count == 3)
    }
  }

  @Test func `a delete with children tells what goes, and asks on a terminal`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      await daybook.run("item add a b c --tag t")
      await daybook.run("project create p")
      await daybook.run("item move a b --project p")
      let dry = await daybook.run("project delete p --dry-run")
      #expect(dry.output == "Would delete project \"p\"; 2 items will be deleted with it.\n")
      #expect(await daybook.run("project delete p --dry-run --json").json["counts"]?["items"] == 2)
      let no = await daybook.run("project delete p", input: ["n"], isTerminal: true)
      #expect(no.error.contains("Delete project \"p\"? 2 items will be deleted with it. [y/N]"))
      #expect(await daybook.run("project list -q").lines.count == 1)
      #expect(await daybook.run("tag delete t --dry-run").output.contains("3 items will lose it"))
      #expect(await daybook.run("project delete p", input: ["y"], isTerminal: true).status == 0)
      #expect(await daybook.run("project list -q").lines.isEmpty)
      #expect(await daybook.run("item list -q").lines.count == 1)
    }
  }

  @Test func `the library and the visitor log are driven by their own words`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      for line in [
        "genre add Novel", "book add Dune --author 'Frank Herbert' --genre Novel", "book read Dune --on 2026-05-25",
        "book rate Dune 5 --review 'The spice must flow.'",
        "book edit Dune --author 'Frank Herbert' --author 'B. Herbert'",
        "visitor register Ada Lovelace", "visit record Lovelace", "visit end Lovelace", "badge add B-1",
        "badge issue B-1 'Ada Lovelace'", "badge return --visitor Lovelace", "visitor rename Lovelace Augusta King",
        "author rename 'B. Herbert' 'Brian Herbert'", "author remove 'Brian Herbert' --detach",
      ] {
        let done = await daybook.run(line)
        #expect(done.status == 0, "\(line): \(done.error)")
      }
      let book = await daybook.run("book view Dune --json").json
      #expect(book["readOn"] == "2026-05-25")
      #expect(book["rating"] == 5)
      #expect(book["authors"]?.array?.compactMap { $0["name"]?.string } == ["Frank Herbert"])
      #expect(await daybook.run("author remove 'Frank Herbert'").status == 1)
      let visits = await daybook.run("visit list --ended -q").lines
      #expect(visits.count == 1)
      #expect(await daybook.run("visit reopen \(visits[0].suffix(8))").status == 0)
      #expect(await daybook.run("visit list --open -q").lines == visits)
      #expect(await daybook.run("visit end \(visits[0])").status == 0)
      #expect(await daybook.run("visitor view 'Augusta King'").output.contains("King, Augusta"))
      #expect(await daybook.run("badge list --free -q").lines.count == 1)
      #expect(await daybook.run("visitor remove King --dry-run").output.contains("1 visit will be deleted with it"))
    }
  }

  @Test func `many commands from a file are answered in order, and again with the same ids they change nothing`()
    async throws
  {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path + "/data") { daybook in
      let lines = (0..<200).map { number -> String in
        let data: JSON = ["name": .string("tag \(number % 150)")]
        return JSON.object(["type": "tasks.tag.create.v1", "data": data, "id": JSON(MessageID.next())]).text
      }
      let file = folder.path + "/commands.ndjson"
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
      let first = await daybook.run("send --ndjson \(file) --answers")
      #expect(first.status == 1)
      #expect(first.lines.count == 200)
      #expect(first.error.contains("Sent 200: 150 accepted, 50 refused, 0 undecided."))
      let again = await daybook.run("send --ndjson \(file) --answers")
      #expect(again.output == first.output)
      let one = await daybook.run("send tasks.tag.create name=other --json")
      #expect(one.json["status"] == "accepted")
      let id = one.json["command"]?.string ?? ""
      #expect(await daybook.run("command \(id) --wait --json").output == one.output)
      #expect(await daybook.run("command \(MessageID.next())").status == 1)
    }
  }

  @Test func `a moment is replayed into a read model that only answers`() async throws {
    let folder = try TemporaryDirectory()
    let data = folder.path + "/data"
    let (list, then) = try await Household.running(data) { daybook in
      await daybook.run("item add one two --tag t")
      let receipt = await daybook.run("item complete one --json").json["receipt"]?.string ?? ""
      let list = await daybook.run("item list --json").json["items"]
      await daybook.run("item delete one")
      await daybook.run("tag delete t")
      #expect(await daybook.run("replay --to \(receipt) --into \(folder.path)/asked").status == 0)
      return (list, receipt)
    }
    let folded = await Household.stopped("replay --data \(data) --to \(then) --into \(folder.path)/read")
    #expect(folded.status == 0, "\(folded.error)")
    for model in ["asked", "read"] {
      try await Household.running("\(folder.path)/\(model)", options: { $0.isReadOnly = true }) { daybook in
        #expect(await daybook.run("item list --json").json["items"] == list)
        #expect(await daybook.run("item add three").status == 1)
        #expect(await daybook.run("history verify").status == 1)
      }
    }
  }

  @Test func `a text goes through log and read model byte for byte, and a date through every zone`() async throws {
    let folder = try TemporaryDirectory()
    let titles = [
      "👨‍👩‍👧‍👦 picnic 🇩🇪", "שלום עולם", "e\u{301}t\u{301} 🧑🏽‍🚀", "O’Brien & “Łukasz”", "a  b", "\u{202E}back",
    ]
    try await Household.running(folder.path) { daybook in
      for title in titles {
        let done = await daybook.run("item add '\(title)' --due 2026-05-25 --zone UTC+14")
        #expect(done.status == 0, "\(done.error)")
      }
      for zone in ["UTC-11", "UTC+14"] {
        let rows = await daybook.run("item list --json --zone \(zone)").json["items"]?.array ?? []
        let read = rows.compactMap { $0["title"]?.string.map { Array($0.utf8) } }
        #expect(read == titles.map { Array(Text.normalized($0).utf8) })
        #expect(rows.allSatisfy { $0["dueOn"] == "2026-05-25" })
        let table = await daybook.run("item list --zone \(zone)").lines.dropFirst()
        #expect(table.allSatisfy { $0.hasSuffix("2026-05-25") })
      }
    }
  }

  @Test func `the history of an edit and of a delete tells what was before`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      await daybook.run("project create p")
      await daybook.run("item add x --note one --project p")
      await daybook.run("item edit x --note two --actor ada")
      await daybook.run("project delete p --yes --actor ada")
      let history = await daybook.run("history x")
      #expect(history.output.contains("Edited item \"x\": note one → two"))
      #expect(history.output.contains("by ada"))
      #expect(history.output.contains("It was: title x, note two,"))
      let deleted = await daybook.run("history x --json").json["items"]?.array?.last
      #expect(deleted?["before"]?["project"]?["name"] == "p")
      #expect(deleted?["actor"] == "ada")
      #expect(await daybook.run("history --actor ada --type 'tasks.project.*' -q").lines.count == 1)
      #expect(await daybook.run("replay --json").json["items"]?.array?.count == 5)
    }
  }

  @Test func `the sample is a household in all three books, and again changes nothing`() async throws {
    let folder = try TemporaryDirectory()
    try await Household.running(folder.path) { daybook in
      try await Sample().send(to: API(server: daybook.url))
      let refused = await daybook.run("events --type daybook.command.decided.v1 --json").json["items"]?.array ?? []
      #expect(refused.allSatisfy { $0["data"]?["answer"]?["status"] == "accepted" })
      #expect(await daybook.run("item list -q --all").lines.count == 14)
      #expect(await daybook.run("book list -q").lines.count == 11)
      #expect(await daybook.run("visit list --open -q").lines.count == 1)
      let events = await daybook.run("events -q").output
      try await Sample().send(to: API(server: daybook.url))
      #expect(await daybook.run("events -q").output == events)
    }
  }

  @Test func `a token is asked for where there is one, and names the actor`() async throws {
    let folder = try TemporaryDirectory()
    let secret = await Household.stopped("token add ada --data \(folder.path) -q").lines.first ?? ""
    #expect(await Household.stopped("token list --data \(folder.path) -q").lines == ["ada"])
    try await Household.running(folder.path) { daybook in
      #expect(await daybook.run("item list").status == 1)
      let capture = Capture(environment: ["DAYBOOK_SERVER": daybook.url, "DAYBOOK_TOKEN": secret])
      #expect(await capture.run(["item", "add", "x"]) == 0)
      #expect(await capture.run(["events", "--json"]) == 0)
      #expect(capture.output.contains("\"actor\":\"ada\""))
      let file = folder.path + "/token"
      try Data((secret + "\n").utf8).write(to: URL(filePath: file))
      let byFile = Capture(environment: ["DAYBOOK_SERVER": daybook.url, "DAYBOOK_TOKEN_FILE": file])
      #expect(await byFile.run(["item", "list", "-q"]) == 0)
      let gone = Capture(environment: ["DAYBOOK_SERVER": daybook.url, "DAYBOOK_TOKEN_FILE": file + "s"])
      #expect(await gone.run(["item", "list", "-q"]) == 2)
      #expect(gone.error == "daybook: DAYBOOK_TOKEN_FILE names \(file)s, where no token can be read\n")
      let broken = Capture(environment: ["DAYBOOK_SERVER": daybook.url, "DAYBOOK_TOKEN": "a\r\nX-B: c"])
      #expect(await broken.run(["item", "list", "-q"]) == 2)
      #expect(broken.error.hasPrefix("daybook: DAYBOOK_TOKEN holds no token: "))
      #expect(await daybook.run("status --ready").status == 0)
      #expect(await Household.stopped("token remove ada --data \(folder.path)").status == 0)
      #expect(await daybook.run("item list").status == 0)
    }
  }
}
