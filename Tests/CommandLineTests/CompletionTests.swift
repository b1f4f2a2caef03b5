import Foundation
import Testing

@testable import CommandLineClient

@Suite struct CompletionTests {
  private func bash(_ script: String, _ arguments: [String] = []) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = arguments + ["-c", script]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }

  private func script(_ shell: String) -> String {
    Completion(root: Root.node, globals: Root.globals).script(shell)
  }

  @Test func `bash takes the script`() throws {
    let checked = try bash(script("bash"), ["-n"])
    #expect(checked.status == 0, "\(checked.output)")
  }

  @Test(arguments: [
    ("daybook it", "item"), ("daybook item ed", "edit"), ("daybook items add x --du", "--due"),
    ("daybook project rm x --items ke", "keep"), ("daybook -w item item ls --so", "--sort"),
    ("daybook completion --jso", "--json"),
    ("daybook completion z", "zsh"), ("daybook rebuild proj", "projection"), ("daybook serve ga", "gateway"),
  ])
  func `bash completes commands, options and their values`(line: String, completed: String) throws {
    let words = line.split(separator: " ").map { "'\($0)'" }.joined(separator: " ")
    let call = "COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _daybook; echo \"${COMPREPLY[@]}\""
    let result = try bash(script("bash") + call)
    #expect(result.output == "\(completed)\n")
  }

  @Test(arguments: Completion.shells)
  func `every command is in every script`(shell: String) {
    let text = script(shell)
    for path in HelpTests.paths where !path.isEmpty { #expect(text.contains(path.joined(separator: " "))) }
  }

  @Test func `an unknown shell is wrong usage`() async {
    #expect(await Capture().run(["completion", "powershell"]) == 2)
  }
}
