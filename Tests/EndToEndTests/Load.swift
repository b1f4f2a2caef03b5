import CommandLineClient
import Foundation
import Messaging
import Synchronization

/// Clients that send mixed commands to all three services, remember each answer, and send what was not answered again
/// with the same id: a household under load.
final class Load: Sendable {
  private struct State {
    var told: [Told] = []
    /// Indexes of `told` that were sent by nobody now and have no answer.
    var open: [Int] = []
    var random: SplitMix
    var limit: Int
    var answered = 0
  }
  private let state: Mutex<State>
  private let workspaces = ["main", "w1", "w2", "w3", "w4", "w5"]

  init(seed: UInt64, limit: Int = .max) { state = Mutex(State(random: SplitMix(state: seed), limit: limit)) }

  /// What clients were told so far.
  var told: [Told] { state.withLock { $0.told } }
  var answered: Int { state.withLock { $0.answered } }

  /// Sends from `clients` threads until the server is gone or `goOn`, asked with the number of answers before each
  /// command, says no; returns when all have ended.
  func run(port: Int, clients: Int = 6, while goOn: @escaping @Sendable (Int) -> Bool) {
    let group = DispatchGroup()
    for _ in 0..<clients {
      group.enter()
      Thread.detachNewThread { [self] in
        defer { group.leave() }
        guard let connection = try? LoadConnection(port: port) else { return }
        while goOn(answered), let (index, command) = next() {
          do {
            let status = try connection.post(command.request)
            let isAnswer = status == 200 || (400..<500).contains(status)
            note(index, isAnswer ? Told.Answer(status: status, body: Array(connection.body)) : nil)
          } catch {
            note(index, nil)
            return
          }
        }
      }
    }
    group.wait()
  }

  private func next() -> (Int, Told)? {
    state.withLock { state in
      if let index = state.open.popLast() { return (index, state.told[index]) }
      guard state.told.count < state.limit else { return nil }
      let command = Self.command(&state.random, workspaces)
      state.told.append(command)
      return (state.told.count - 1, command)
    }
  }

  private func note(_ index: Int, _ answer: Told.Answer?) {
    state.withLock { state in
      if let answer {
        state.told[index].answer = answer
        state.answered += 1
      } else {
        state.open.insert(index, at: 0)
      }
    }
  }

  /// No command beyond those that were made already: what is open is sent until it is answered.
  func finish() { state.withLock { $0.limit = $0.told.count } }

  private static func command(_ random: inout SplitMix, _ workspaces: [String]) -> Told {
    func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &random)] }
    func name(_ word: String, _ count: Int) -> JSON { .string("\(word) \(Int.random(in: 1...count, using: &random))") }
    func named(_ word: String, _ count: Int) -> JSON { ["name": name(word, count)] }
    let commands: [(String, JSON)] = [
      ("tasks.project.create.v1", ["name": name("Project", 12)]),
      ("tasks.item.add.v1", ["title": name("Item", 4000), "tags": [name("tag", 9)]]),
      ("tasks.item.add.v1", ["title": name("Item", 4000), "project": named("Project", 12)]),
      ("tasks.item.complete.v1", ["item": named("Item", 4000)]),
      ("tasks.item.edit.v1", ["item": named("Item", 4000), "title": name("Edited", 4000)]),
      ("tasks.project.delete.v1", ["project": named("Project", 12)]),
      ("tasks.tag.create.v1", ["name": name("TAG", 9)]),
      ("tasks.tag.delete.v1", ["tag": named("tag", 9)]),
      ("library.book.add.v1", ["title": name("Book", 4000), "authors": [name("Author", 40), name("author", 40)]]),
      ("library.book.edit.v1", ["book": named("Book", 4000), "title": name("Title", 4000)]),
      ("library.author.rename.v1", ["author": named("Author", 40), "name": name("AUTHOR", 40)]),
      ("library.author.remove.v1", ["author": named("Author", 40), "detach": true]),
      ("library.genre.add.v1", ["name": name("Genre", 9)]),
      ("library.genre.remove.v1", ["genre": named("Genre", 9)]),
      ("visitorlog.visitor.register.v1", ["firstName": "Ada", "lastName": name("Visitor", 300)]),
      ("visitorlog.visit.record.v1", ["visitor": named("Visitor", 300)]),
      ("visitorlog.visitor.remove.v1", ["visitor": named("Visitor", 300)]),
      ("visitorlog.badge.add.v1", ["number": name("B", 60)]),
      ("visitorlog.badge.issue.v1", ["visitor": named("Visitor", 300), "badge": named("B", 60), "transfer": true]),
    ]
    let (type, data) = pick(commands)
    return Told(id: MessageID.next(), type: type, workspace: pick(workspaces), data: data)
  }
}

/// Sebastiano Vigna's SplitMix64: a small generator that a seed repeats.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
