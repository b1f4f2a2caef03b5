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
