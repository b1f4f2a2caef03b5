/// Shell completion scripts, made from the command tree.
struct Completion {
  let root: CommandNode
  let globals: [Option]

  /// The shells that there is a script for.
  static let shells = ["bash", "zsh", "fish"]

  func script(_ shell: String) -> String {
    switch shell {
    case "zsh": zsh()
    case "fish": fish()
    default: bash()
    }
  }

  /// Every command that has others below it or runs: its path as one text, and the node.
  private var commands: [(path: String, node: CommandNode)] {
    var found: [(String, CommandNode)] = []
    func walk(_ node: CommandNode, _ path: String) {
      found.append((path, node))
      for child in node.children { walk(child, path.isEmpty ? child.name : "\(path) \(child.name)") }
    }
    walk(root, "")
    return found
  }

  /// The words that may stand for its first argument.
  private func offered(_ node: CommandNode) -> [String] { node.arguments.first?.choices ?? [] }

  private func flags(_ node: CommandNode) -> [Option] {
    node.options + globals.filter { global in !node.options.contains { $0.name == global.name } }
  }

  /// `item rm) path='item delete'`: how a path goes on with each word, synonyms included.
  private func steps(_ indent: String, _ variable: String = "path") -> String {
    var lines: [String] = []
    for (path, node) in commands {
      for child in node.children {
        let next = path.isEmpty ? child.name : "\(path) \(child.name)"
        let words = ([child.name] + child.synonyms).map { "'\(path):\($0)'" }.joined(separator: "|")
        lines.append("\(indent)\(words)) \(variable)='\(next)' ;;")
      }
    }
    return lines.joined(separator: "\n")
  }

  private var valued: String {
    var names: [String] = []
    for (_, node) in commands {
      for option in flags(node) where option.value != nil && !option.isValueOptional {
        names.append("--\(option.name)")
        if let short = option.short { names.append("-\(short)") }
      }
    }
    return Array(Set(names)).sorted().joined(separator: "|")
  }

  private func choices(_ indent: String, _ line: (Option) -> String) -> String {
    var seen: Set<String> = []
    var lines: [String] = []
    for (path, node) in commands {
      for option in node.options + (path.isEmpty ? globals : []) where !option.choices.isEmpty {
        let pattern = path.isEmpty ? "*:--\(option.name)" : "\(path):--\(option.name)"
        if seen.insert(pattern).inserted { lines.append("\(indent)'\(pattern)') \(line(option)) ;;") }
      }
    }
    return lines.joined(separator: "\n")
  }

  private func bash() -> String {
    let words = commands.map { path, node in
      let all = node.children.map(\.name) + offered(node) + flags(node).map { "--\($0.name)" } + ["--help"]
      return "    '\(path)') words='\(all.joined(separator: " "))' ;;"
    }
    return """
      # bash completion of daybook; load it with:  source <(daybook completion bash)
      _daybook() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous='' path='' words='' word i
        [ "$COMP_CWORD" -gt 0 ] && previous="${COMP_WORDS[COMP_CWORD-1]}"
        for ((i = 1; i < COMP_CWORD; i++)); do
          word="${COMP_WORDS[i]}"
          case "$word" in
            \(valued)) ((i++)); continue ;;
            -*) continue ;;
          esac
          case "$path:$word" in
      \(steps("      "))
          esac
        done
        case "$path:$previous" in
      \(choices("    ") { "COMPREPLY=($(compgen -W '\($0.choices.joined(separator: " "))' -- \"$current\")); return" })
        esac
        case "$path" in
      \(words.joined(separator: "\n"))
        esac
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      complete -o default -F _daybook daybook

      """
  }

  private func zsh() -> String {
    let words = commands.map { path, node in
      let below = node.children.map { "'\(quoted("\($0.name):\($0.summary)"))'" } + offered(node).map { "'\($0)'" }
      let children = below.joined(separator: " ")
      let options = flags(node).map { "'\(quoted("--\($0.name):\($0.help)"))'" }.joined(separator: " ")
      return """
              '\(path)')
                below=(\(children))
                flags=(\(options)) ;;
        """
    }
    return """
      #compdef daybook
      # zsh completion of daybook; put it into a folder of $fpath as _daybook, or:  source <(daybook completion zsh)
      _daybook() {
        local current="${words[CURRENT]}" previous="${words[CURRENT-1]}" place='' word i
        local -a below flags
        for ((i = 2; i < CURRENT; i++)); do
          word="${words[i]}"
          case "$word" in
            \(valued)) ((i++)); continue ;;
            -*) continue ;;
          esac
          case "$place:$word" in
      \(steps("      ", "place"))
          esac
        done
        case "$place:$previous" in
      \(choices("    ") { "compadd -- \($0.choices.joined(separator: " ")); return" })
        esac
        case "$place" in
      \(words.joined(separator: "\n"))
        esac
        if [[ "$current" == -* ]]; then
          _describe 'option' flags
        elif (( ${#below} )); then
          _describe 'command' below
        else
          _files
        fi
      }
      if [ "${funcstack[1]}" = '_daybook' ]; then _daybook "$@"; else compdef _daybook daybook; fi

      """
  }

  private func fish() -> String {
    var lines = [
      "# fish completion of daybook; load it with:  daybook completion fish | source",
      "function __daybook_path",
      "  set -l path ''",
      "  set -l skip 0",
      "  for word in (commandline -opc)[2..-1]",
      "    if test $skip = 1; set skip 0; continue; end",
      "    switch $word",
      "      case \(valued.split(separator: "|").joined(separator: " "))",
      "        set skip 1; continue",
      "      case '-*'",
      "        continue",
      "    end",
      "    switch \"$path:$word\"",
    ]
    for (path, node) in commands {
      for child in node.children {
        let next = path.isEmpty ? child.name : "\(path) \(child.name)"
        let words = ([child.name] + child.synonyms).map { "'\(path):\($0)'" }.joined(separator: " ")
        lines.append("      case \(words); set path '\(next)'")
      }
    }
    lines += ["    end", "  end", "  echo $path", "end"]
    for (path, node) in commands {
      let condition = "-n 'test \"$(__daybook_path)\" = \"\(path)\"'"
      for child in node.children {
        lines.append("complete -c daybook -f \(condition) -a '\(child.name)' -d '\(quotedFish(child.summary))'")
      }
      for word in offered(node) { lines.append("complete -c daybook -f \(condition) -a '\(word)'") }
      for option in node.options { lines.append("complete -c daybook \(condition) \(fishOption(option))") }
    }
    for option in globals { lines.append("complete -c daybook \(fishOption(option))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fishOption(_ option: Option) -> String {
    var text = "-l \(option.name)"
    if let short = option.short { text += " -s \(short)" }
    if option.value != nil, !option.isValueOptional {
      text += option.choices.isEmpty ? " -r" : " -x -a '\(option.choices.joined(separator: " "))'"
    }
    return text + " -d '\(quotedFish(option.help))'"
  }

  /// For text between single quotes of a POSIX shell.
  private func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }
  /// For text between single quotes of fish.
  private func quotedFish(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
