package import Messaging
import Synchronization

/// What `/readyz` and `status` tell: each component of a process and what it is doing, in plain words.
package final class Health: Sendable {
  package enum State: Sendable, Equatable {
    case starting(String)
    case ready
    /// Up, but not doing its work: why, and what to do.
    case notReady(String)

    package var detail: String? {
      switch self {
      case .ready: nil
      case .starting(let text), .notReady(let text): text
      }
    }
  }

  private let states = Mutex<[String: State]>([:])
  private let probes = Mutex<[@Sendable () async -> Void]>([])

  /// Who waits for a change of state.
  private let watchers = Mutex<[ObjectIdentifier: AsyncStream<Void>.Continuation]>([:])

  package init() {}

  /// Returns once no component is starting any more (each is ready, or says why it is not), or when the task is
  /// cancelled.
  package func settled() async {
    final class Key {}
    let key = Key()
    let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watchers.withLock { $0[ObjectIdentifier(key)] = watcher }
    defer { _ = watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(key)) } }
    watcher.yield()
    for await _ in changes where !isStarting { return }
  }

  private var isStarting: Bool {
    states.withLock { states in
      states.values.contains { if case .starting = $0 { true } else { false } }
    }
  }

  /// Adds something to look at before telling: it sets the states that only show when somebody asks (a lag that stands
  /// still), so that nothing has to poll.
  package func addProbe(_ probe: @escaping @Sendable () async -> Void) { probes.withLock { $0.append(probe) } }

  /// Runs the probes: call it before `isReady`, `components` or `json` are told to anybody.
  package func probe() async {
    for probe in probes.withLock({ $0 }) { await probe() }
  }

  /// Components that were never set do not count: set `starting` first.
  package func set(_ component: String, _ state: State) {
    states.withLock { $0[component] = state }
    for watcher in watchers.withLock({ $0.values.map(\.self) }) { watcher.yield() }
  }
  /// The state of a component; nil where it was never set.
  package func state(of component: String) -> State? { states.withLock { $0[component] } }

  package var isReady: Bool { states.withLock { $0.values.allSatisfy { $0 == .ready } } }

  /// Every component, by name.
  package var components: [(name: String, state: State)] {
    states.withLock { $0.map { (name: $0.key, state: $0.value) } }.sorted { $0.name < $1.name }
  }

  /// `{"ready":…,"components":[{"name","ready","detail"?}]}`.
  package var json: JSON {
    let components = components
    return [
      "ready": JSON(components.allSatisfy { $0.state == .ready }),
      "components": .array(
        components.map { component in
          var object: JSONObject = ["name": .string(component.name), "ready": JSON(component.state == .ready)]
          if let detail = component.state.detail { object["detail"] = .string(detail) }
          return .object(object)
        }),
    ]
  }
}
