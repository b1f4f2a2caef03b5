/// Something that runs until its task is cancelled, and has put everything in order when `run` returns.
package protocol Service: Sendable {
  /// For logs and status: `tasks/3`.
  var name: String { get }
  func run() async throws
}
