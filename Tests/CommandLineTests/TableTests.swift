import Testing

@testable import CommandLineClient

@Suite struct TableTests {
  @Test(arguments: [
    ("abc", 3), ("Łukasz", 6), ("e\u{301}", 1), ("日本", 4), ("👨‍👩‍👧‍👦", 2), ("✓", 1), ("❤️", 2), ("🇩🇪", 2), ("", 0), ("한글", 4),
    ("שלום", 4),
  ])
  func `a text is as wide as a terminal shows it`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test func `columns are aligned whatever their characters`() {
    let table = Table(
      columns: [.init(title: "NAME", isElastic: true), .init(title: "N", isNumber: true)],
      rows: [[.init("日本"), .init("5")], [.init("e\u{301}t\u{301}"), .init("12")]])
    #expect(table.render(width: nil, style: Style(isOn: false)) == "NAME   N\n日本   5\ne\u{301}t\u{301}    12\n")
  }

  @Test func `an elastic column is cut to fit, and only on a terminal`() {
    let table = Table(
      columns: [.init(title: "ID"), .init(title: "TITLE", isElastic: true)],
      rows: [[.init("a1b2c3d4"), .init("A very long title that does not fit")]])
    let cut = table.render(width: 30, style: Style(isOn: false)).split(separator: "\n")
    #expect(cut[1] == "a1b2c3d4  A very long title t…")
    #expect(table.render(width: nil, style: Style(isOn: false)).contains("does not fit"))
  }

  @Test func `an optional column without a value is left out`() {
    let table = Table(
      columns: [.init(title: "A"), .init(title: "B", isOptional: true)], rows: [[.init("x"), .init("")]])
    #expect(table.render(width: nil, style: Style(isOn: false)) == "A\nx\n")
  }

  @Test func `an empty cell is not painted, and nothing stands behind the last text`() {
    let table = Table(
      columns: [.init(title: "A"), .init(title: "B", isNumber: true), .init(title: "C")],
      rows: [[.init("", .bad), .init("1", .good), .init("", .bad)]])
    let row = table.render(width: nil, style: Style(isOn: true)).split(separator: "\n").last
    #expect(row == "   \u{1B}[32m1\u{1B}[0m")
  }

  @Test func `nothing in a cell can steer the terminal`() {
    #expect(Table.oneLine("a\nb\tc\u{1B}[31m\u{7F}") == "a b c\u{FFFD}[31m\u{FFFD}")
    #expect(Table.oneLine("\u{202E}back") == "\u{FFFD}back")
  }

  @Test func `colour appears on a terminal only, and not where NO_COLOR is set`() {
    #expect(Capture(isTerminal: true).console.outputStyle.isOn)
    #expect(!Capture().console.outputStyle.isOn)
    #expect(!Capture(environment: ["NO_COLOR": "1"], isTerminal: true).console.outputStyle.isOn)
  }
}
