import Foundation
import HTTP
import Messaging
import TestSupport
import Testing

@testable import CommandLineClient

/// What is refused before anything is done, and in which words.
@Suite(.timeLimit(.minutes(1))) struct UsageTests {
  @Test(arguments: [
    (["replay", "--into", ""], "--into takes a folder, and nothing is named"),
    (["replay", "--data="], "--data takes a folder, and nothing is named"),
    (["replay", "--kafka", "127.0.0.1:1", "--data", "x"], "--data and --kafka name two logs; give one of them"),
    (["bench", "--in", ""], "--in takes a folder, and nothing is named"),
    (["up", "--data", ""], "--data takes a folder, and nothing is named"),
    (["rebuild", "tasks", "--data="], "--data takes a folder, and nothing is named"),
    (["history", "verify", "--data", ""], "--data takes a folder, and nothing is named"),
    (["send", "--ndjson", ""], "--ndjson takes a file, and nothing is named"),
    (["send", "--ndjson", "/tmp"], "/tmp is a folder; a file with one command a line is read"),
    (
      ["--ndjson", "send", "--ndjson", "commands"],
      "--ndjson stands before the command as a flag and behind it with its FILE; one of both is possible"
    ),
    (["item", "list", "--done", "--open"], "--done and --open exclude one another"),
    (["visit", "list", "--ended", "--open"], "--open and --ended exclude one another"),
    (["book", "list", "--read", "--unread"], "--read and --unread exclude one another"),
    (["item", "list", "--help=x"], "--help is a flag and takes no value"),
    (["--version=2"], "--version is a flag and takes no value"),
    (["help", "itme"], "daybook has no command \"itme\"; did you mean \"item\"?"),
    (["help", "item", "ad"], "daybook item has no command \"ad\"; did you mean \"add\"?"),
    (
      ["up", "--memory", "--data", "x"],
      "--memory and --data exclude one another: one keeps nothing, the other everything"
    ),
    (
      ["up", "--read-only", "--partition-count", "8"],
      "--read-only takes no --partition-count: the read model has its own"
    ),
    (
      ["command", "00000000-0000-4000-8000-000000000001", "--wait=soon"],
      "--wait takes a number of seconds, not \"soon\""
    ),
  ])
  func `what cannot be meant is refused in a sentence`(words: [String], sentence: String) async {
    let capture = Capture()
    #expect(await capture.run(words) == 2)
    #expect(capture.error == "daybook: \(sentence)\n")
    #expect(capture.output.isEmpty)
  }

  @Test func `a folder that a variable names gives way to --memory`() throws {
    let console = Capture(environment: ["DAYBOOK_DATA": "/nonexistent", "DAYBOOK_PARTITION_COUNT": "8"]).console
    for words in [["up", "--memory"], ["up", "--read-only"]] {
      guard case .run(let invocation) = try Root.parser.parse(words, console: console) else { continue }
      let options = try UpOptions(invocation)
      if words.contains("--memory") { try FileManager.default.removeItem(atPath: options.data.path) }
    }
  }

  @Test(arguments: [
    (["--version"], "daybook 0.1.0\n"), (["version"], "daybook 0.1.0\n"), (["version", "-q"], "0.1.0\n"),
    (["--version", "--json"], "{\"version\":\"0.1.0\"}\n"), (["version", "--ndjson"], "{\"version\":\"0.1.0\"}\n"),
  ])
  func `the version is told as every other result`(words: [String], output: String) async {
    let capture = Capture()
    #expect(await capture.run(words) == 0)
    #expect(capture.output == output)
  }

  @Test func `an argument that is not UTF-8 is refused, others are taken as they are`() async {
    let broken = Capture()
    let words = ["item", "add"].map { Array($0.utf8) } + [[0x6D, 0xFF, 0x6B]]
    #expect(await CommandLineClient.run(bytes: words, console: broken.console) == 2)
    #expect(broken.error == "daybook: argument 3 (m\u{FFFD}k) is not UTF-8\n")
    let whole = Capture()
    #expect(await CommandLineClient.run(bytes: [Array("ítem".utf8)], console: whole.console) == 2)
    #expect(whole.error.hasPrefix("daybook: daybook has no command \"ítem\""))
  }

  @Test func `a line of a file that is not UTF-8 is refused with its number`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.path + "/lines"
    try Data(Array("one\r\ntw\u{F6}\n".utf8) + [0x61, 0xC3, 0x0A]).write(to: URL(filePath: file))
    let lines = try LineReader(file, Capture().console)
    #expect(try lines.next() == "one")
    #expect(try lines.next() == "tw\u{F6}")
    #expect(throws: Failure.usage("line 3 of \(file) is not UTF-8")) { try lines.next() }
  }

  @Test func `an output that could not be written is a failure`() async {
    let capture = Capture()
    var console = capture.console
    console.outputFailure = { "No space left on device" }
    #expect(await CommandLineClient.run(["version"], console: console) == 1)
    #expect(capture.error == "daybook: standard output took not all of it: No space left on device\n")
  }

  @Test func `behind two dashes a dash is a dash`() async throws {
    try await FakeServer.serving({ _, request in .accepted(request) }) { server in
      let capture = Capture(input: ["read"], environment: ["DAYBOOK_SERVER": server.url])
      #expect(await capture.run(["item", "add", "-", "--", "-"]) == 0)
      #expect(server.bodies.compactMap { $0["data"]?["title"]?.string } == ["read", "-"])
    }
  }

  @Test func `the flag --ndjson before send prints the answer, and a blank entry is named by its place`() async throws {
    try await FakeServer.serving({ number, request in
      number == 3 ? .problem(.invalid("title", "must not be blank")) : .accepted(request)
    }) { server in
      let sent = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await sent.run(["--ndjson", "send", "tasks.item.add", "title=x"]) == 0)
      #expect(API.json(Array(sent.output.utf8))["status"] == "accepted")
      let added = Capture(environment: ["DAYBOOK_SERVER": server.url])
      #expect(await added.run(["item", "add", "  milk ", ""]) == 1)
      #expect(added.output.hasPrefix("Added item milk  "))
      #expect(added.error.hasPrefix("daybook: number 2, which is blank: "))
    }
  }

  @Test(arguments: [
    ("starting", 503, "Daybook is starting; try again; command ID was not taken: send it again with --command-id ID"),
    (
      "pending", 202,
      "Daybook is starting; try again; command ID is not decided yet: \"daybook status\" tells what is behind, "
        + "\"daybook command ID --wait\" what becomes of it, or send it again with --command-id ID"
    ),
    (
      "stopping", 503,
      "Daybook is starting; try again; command ID may or may not be done: ask with \"daybook command ID\", "
        + "or send it again with --command-id ID"
    ),
  ])
  func `what is told of a command is as much as is known`(code: String, status: Int, told: String) throws {
    let id = "00000000-0000-4000-8000-0000000000aa"
    let fate = Undecided.Fate(status, ["code": .string(code)])
    let undecided = Undecided(
      command: try #require(MessageID(id)), reason: "Daybook is starting; try again.", fate: fate)
    #expect(undecided.failure == .unreachable(told.replacing("ID", with: id)))
  }

  @Test(
    arguments: [
      (
        "tasks.project.deleted.v1", ["itemsDeleted": 1, "itemsKept": 2],
        "Deleted project \"Lem\", with 1 item; 2 items kept"
      ),
      ("tasks.tag.deleted.v1", ["items": 1], "Deleted tag \"Lem\"; 1 item lost it"),
      ("library.author.removed.v1", ["books": 2], "Removed author \"Lem\"; 2 books lost it"),
      (
        "visitorlog.visitor.removed.v1", ["visits": 3, "badges": 1],
        "Removed visitor \"Lem\", with 3 visits; 1 badge free again"
      ),
      ("library.genre.removed.v1", ["books": 0], "Removed genre \"Lem\""),
    ] as [(String, JSON, String)])
  func `a delete tells what went with it and what stays`(type: String, counts: JSON, told: String) {
    var story = Story()
    let line = EventLine(json: [
      "type": .string(type), "subject": "x", "workspace": "main",
      "data": ["id": "x", "last": ["id": "x", "name": "Lem"], "counts": counts],
    ])
    #expect(story.tell(line) == told)
  }

  @Test func `a folded read model is one file, and says of itself that it is ready`() async throws {
    let folder = try TemporaryDirectory()
    let noon = folder.path + "/noon"
    try await Household.running(folder.path + "/data") { daybook in
      await daybook.run("item add Milk")
      #expect(await daybook.run("status -q").output.isEmpty)
      let unknown = MessageID.next()
      let late = await daybook.run("command \(unknown) --wait 1")
      #expect(late.status == 3)
      #expect(late.error.contains("no decision on command \(unknown) came within 1 s"))
      await daybook.run("item delete Milk")
      #expect(await daybook.run("history Milk").output.contains("It was: title Milk"))
      for (arguments, said) in [
        ("--any --dry-run", "0 items will be deleted: completed items of every project.\n"),
        ("--any --yes", "Deleted completed items of every project"),
      ] {
        #expect(await daybook.run("item delete-completed \(arguments)").output.hasPrefix(said))
      }
      #expect(await daybook.run("item delete-completed --project Nope --dry-run").status == 1)
      await daybook.run("item add Milk")
      #expect(await daybook.run("replay --into \(noon)").status == 0)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: noon + "/projection").sorted()
    #expect(files == ["projection.lock", "projection.sqlite"])
    try await Household.running(noon, options: { $0.isReadOnly = true }) { daybook in
      let status = await daybook.run("status")
      #expect(status.status == 0, "\(status.error)")
      #expect(
        status.output.hasPrefix("\(daybook.url) is ready: a read model that only answers reads, and has no history\n"))
      #expect(await daybook.run("status --json").json["readOnly"] == true)
      #expect(await daybook.run("item list -q").lines.count == 1)
    }
  }
}
