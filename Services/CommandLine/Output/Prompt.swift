/// Asks a person before something that cannot be taken back.
enum Prompt {
  /// True where the answer is yes. Off a terminal nobody can answer, and the command is taken at its word.
  static func confirm(_ question: String, _ console: Console) -> Bool {
    guard console.inputIsTerminal, console.errorIsTerminal else { return true }
    console.standardError(Array("\(question) [y/N] ".utf8))
    let answer = (try? console.readLine())?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}
