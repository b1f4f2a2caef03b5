import CommandLineClient
import Foundation
import Messaging
import Synchronization

/// Clients that never send again what was answered 503, so that it shows whether that was the truth; what is unknown is
/// sent again in the end.
final class OnceLoad: Sendable {
  struct Counts {
    var answered = 0
    var refused = 0
  }
  private struct State {
    var told: [Told] = []
    var refused: [Told] = []
    var unknown: [Told] = []
    var isOver = false
    var running = 0
  }
  private let state: Mutex<State>
  private let port: Int

  init(port: Int, clients: Int) {
    self.port = port
    state = Mutex(State(running: clients))
    for client in 0..<clients {
      Thread.detachNewThread { [self] in
        for number in 0... {
          guard !state.withLock({ $0.isOver }) else { break }
          send(number % 7 == 6 ? tag(number % 3) : item(client, number))
        }
        state.withLock { $0.running -= 1 }
      }
    }
  }

  private func item(_ client: Int, _ number: Int) -> Told {
    Told(
      id: .next(), type: "tasks.item.add.v1", workspace: Workspace.main,
      data: ["title": .string("Item \(client) \(number)")])
  }

  private func tag(_ number: Int) -> Told {
    Told(id: .next(), type: "tasks.tag.create.v1", workspace: Workspace.main, data: ["name": .string("tag \(number)")])
  }

  /// Sends it once; where it is not known what became of it, it is kept.
  private func send(_ command: Told) {
    guard let answer = post(command) else { return state.withLock { $0.unknown.append(command) } }
    var command = command
    command.answer = answer
    state.withLock { if answer.status == 503 { $0.refused.append(command) } else { $0.told.append(command) } }
    // A gateway asks its clients to wait that long, and longer.
    if answer.status == 503 { usleep(200_000) }
  }

  private func post(_ command: Told) -> Told.Answer? {
    let connection = try? LoadConnection(port: port)
    let status = (try? connection?.post(command.request)) ?? 0
    guard status == 200 || status == 503 || (400..<500).contains(status) else { return nil }
    return Told.Answer(status: status, body: Array(connection?.body ?? []))
  }

  var counts: Counts { state.withLock { Counts(answered: $0.told.count, refused: $0.refused.count) } }

  func until(_ isEnough: (Counts) -> Bool) async {
    while !isEnough(counts) { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Makes no new command; returns once all are settled: those that were answered, and those that were refused by 503.
  func finish() async -> (told: [Told], refused: [Told]) {
    state.withLock { $0.isOver = true }
    while state.withLock({ $0.running }) > 0 { try? await Task.sleep(for: .milliseconds(5)) }
    while var command = state.withLock({ $0.unknown.popLast() }) {
      repeat { command.answer = post(command) } while command.answer.map { $0.status == 503 } ?? true
      state.withLock { [command] in $0.told.append(command) }
    }
    return state.withLock { ($0.told, $0.refused) }
  }
}
