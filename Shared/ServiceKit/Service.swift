/// Something that runs until its task is cancelled, and has put everything in order when `run` returns.
package protocol Service: Sendable {
  /// For logs and status: `tasks/3`.
  var name: String { get }
  /// What must be done before the services behind it start: bind a port, open a file. Called once, before `run`.
  func prepare() async throws
  func run() async throws
}

extension Service {
  /// Nothing to do beforehand.
  package func prepare() async throws {}
}

extension Service {
  /// Runs a prepared service just to its end: it puts everything in order.
  package func conclude() async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try? await run()
    }.value
  }
}

/// A service that was prepared already: it must not be a second time.
package struct Prepared: Service {
  private let inner: any Service
  package init(_ inner: any Service) { self.inner = inner }
  package var name: String { inner.name }
  package func run() async throws { try await inner.run() }
}
