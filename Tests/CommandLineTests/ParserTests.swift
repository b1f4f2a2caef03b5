import Testing

@testable import CommandLineClient

@Suite struct ParserTests {
  private func invocation(_ line: String, environment: [String: String] = [:]) throws -> Invocation {
    let words = line.split(separator: " ").map(String.init)
    guard case .run(let invocation) = try Root.parser.parse(words, console: Capture(environment: environment).console)
    else { throw Failure.usage("help") }
    return invocation
  }

  private func complaint(_ words: [String]) -> String {
    do {
      _ = try Root.parser.parse(words, console: Capture().console)
      return ""
    } catch let failure as Failure {
      return failure.status == .usage ? failure.message : "status \(failure.status)"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ("item add milk", "item add"), ("items ls", "item list"), ("project create x", "project create"),
    ("project rm x", "project delete"), ("visitor add x", "visitor register"), ("item show x", "item view"),
    ("--json item list", "item list"), ("-w home item list --all", "item list"), ("book delete x", "book remove"),
  ])
  func `a synonym leads to the same command, and options may stand anywhere`(line: String, path: String) throws {
    #expect(try invocation(line).path.joined(separator: " ") == path)
  }

  @Test func `options are read with a blank or an equals sign, short ones with or without a blank`() throws {
    let one = try invocation("item add milk --due=tomorrow --tag a --tag b -whome -q")
    #expect(one.value("due") == "tomorrow")
    #expect(one.values("tag") == ["a", "b"])
    #expect(one.value("workspace") == "home")
    #expect(one.has("quiet"))
    #expect(try invocation("item list -w home").value("workspace") == "home")
    #expect(try invocation("item add a --note=").value("note") == "")
  }

  @Test func `behind two dashes everything is an argument`() throws {
    #expect(try invocation("item add -- --due list").arguments == ["--due", "list"])
    #expect(try invocation("item add -").arguments == ["-"])
  }

  @Test func `a flag wins over a variable`() throws {
    let environment = ["DAYBOOK_WORKSPACE": "home", "DAYBOOK_SERVER": ""]
    #expect(try invocation("item list", environment: environment).value("workspace") == "home")
    #expect(try invocation("item list -w work", environment: environment).value("workspace") == "work")
    #expect(try invocation("item list", environment: environment).value("server") == nil)
  }

  @Test(arguments: [
    (["itme", "list"], "daybook has no command \"itme\"; did you mean \"item\"?"),
    (["add", "item", "x"], "the noun stands first: daybook item add"),
    (["item", "lsit"], "daybook item has no command \"lsit\"; did you mean \"list\"?"),
    (["item", "add"], "daybook item add needs TITLE"),
    (["item", "add", "a", "--projct", "b"], "daybook item add has no option --projct; did you mean \"--project\"?"),
    (["item", "add", "a", "--project"], "--project needs its NAME"),
    (["item", "list", "--json=1"], "--json is a flag and takes no value"),
    (
      ["item", "rename", "a", "b", "c"], "daybook item rename cannot use \"c\"; put text with spaces in quotation marks"
    ),
    (["item", "add", "a", "--due", "today", "--due", "today"], "--due stands more than once"),
    (
      ["project", "delete", "a", "--items", "kepe"],
      "--items takes one of delete, keep, refuse, not \"kepe\"; did you mean \"keep\"?"
    ),
    (["item", "list", "-z"], "daybook item list has no option -z"),
    (["item", "--due", "today"], "--due belongs behind the command of daybook item"),
  ])
  func `wrong usage is one sentence that names the nearest word`(words: [String], sentence: String) {
    #expect(complaint(words) == sentence)
  }

  @Test func `help may stand before a command`() async {
    let before = Capture()
    let behind = Capture()
    #expect(await before.run(["help", "items", "add"]) == 0)
    #expect(await behind.run(["item", "add", "--help"]) == 0)
    #expect(before.output == behind.output)
  }

  @Test func `wrong usage exits with status 2 and writes to standard error only`() async {
    let capture = Capture()
    #expect(await capture.run(["itme"]) == 2)
    #expect(capture.output.isEmpty)
    #expect(capture.error == "daybook: daybook has no command \"itme\"; did you mean \"item\"?\n")
  }

  @Test func `options that exclude one another are wrong usage`() async {
    for words in [
      ["item", "list", "--json", "-q"], ["item", "list", "--all", "--limit", "3"],
      ["item", "edit", "x", "--due", "today", "--no-due"], ["item", "list", "-w", "No Such"],
      ["item", "list", "--server", "ftp://x"], ["item", "list", "--zone", "Mars/Base"],
      ["item", "list", "--limit", "0"],
    ] {
      #expect(await Capture().run(words) == 2, "\(words)")
    }
  }

  @Test func `where nothing listens the status is 3, and a write names its command`() async {
    let capture = Capture()
    let id = "00000000-0000-4000-8000-000000000001"
    let server = ["--server", "http://127.0.0.1:1", "--wait", "0"]
    #expect(await capture.run(["item", "add", "milk", "--command-id", id] + server) == 3)
    #expect(capture.error.contains(id))
    #expect(await capture.run(["item", "list"] + server) == 3)
  }
}
