/// Rows under headings, aligned. On a terminal the elastic columns shrink until every line fits; anywhere else no
/// text is cut.
struct Table: Sendable {
  struct Column: Sendable {
    var title: String
    var isNumber = false
    /// May be cut to fit the terminal.
    var isElastic = false
    /// Left out where every row's cell is empty.
    var isOptional = false
  }

  /// A cell: its text, and how it is painted.
  struct Cell: Sendable {
    enum Look: Sendable { case plain, faint, good, bad, attention, bold }
    var text: String
    var look: Look = .plain
    init(_ text: String, _ look: Look = .plain) {
      self.text = Table.oneLine(text)
      self.look = look
    }
  }

  var columns: [Column]
  var rows: [[Cell]] = []

  /// Lines with a new line at each end. `width` nil: as wide as it gets.
  func render(width: Int?, style: Style) -> String {
    let shown = columns.indices.filter { index in
      !columns[index].isOptional || rows.contains { !$0[index].text.isEmpty }
    }
    let widths = fit(shown, width)
    let titles = columns.map { Cell($0.title, .bold) }
    return ([titles] + rows).map { line($0, shown, widths, style) }.joined()
  }

  /// Nothing stands behind the last text of a line.
  private func line(_ row: [Cell], _ shown: [Int], _ widths: [Int], _ style: Style) -> String {
    var line = ""
    var gap = 0
    for (index, width) in zip(shown, widths) {
      let text = DisplayWidth.cut(row[index].text, to: width)
      let fill = width - DisplayWidth.of(text)
      let isRight = columns[index].isNumber
      if isRight { gap += fill }
      if !text.isEmpty {
        line += String(repeating: " ", count: gap) + Table.paint(text, row[index].look, style)
        gap = 0
      }
      gap += (isRight ? 0 : fill) + 2
    }
    return line + "\n"
  }

  private func fit(_ shown: [Int], _ limit: Int?) -> [Int] {
    var widths = shown.map { index in
      rows.reduce(DisplayWidth.of(columns[index].title)) { max($0, DisplayWidth.of($1[index].text)) }
    }
    guard let limit else { return widths }
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - limit
    while excess > 0 {
      // The widest elastic column gives first.
      guard
        let at = widths.indices.filter({ columns[shown[$0]].isElastic && widths[$0] > 8 }).max(by: {
          widths[$0] < widths[$1]
        })
      else { break }
      widths[at] -= 1
      excess -= 1
    }
    return widths
  }

  static func paint(_ text: String, _ look: Cell.Look, _ style: Style) -> String {
    switch look {
    case .plain: text
    case .faint: style.faint(text)
    case .good: style.green(text)
    case .bad: style.red(text)
    case .attention: style.yellow(text)
    case .bold: style.bold(text)
    }
  }

  /// New lines and tabs become spaces; anything else that could steer a terminal, or turn the order of what stands
  /// behind it, becomes `�`.
  static func oneLine(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\t", "\r": out.append(" ")
      default: out.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    return String(out)
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: scalar.properties.generalCategory == .control
    }
  }
}

extension String {
  /// Filled with spaces to a number of columns; `right` puts the text at the right.
  func padded(_ width: Int, right: Bool = false) -> String {
    let fill = String(repeating: " ", count: max(0, width - DisplayWidth.of(self)))
    return right ? fill + self : self + fill
  }
}
