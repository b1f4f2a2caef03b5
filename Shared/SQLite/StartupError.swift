/// Why a process does not start: one plain sentence that says what and what to do. The executables print it and exit 2
/// for wrong usage, 1 otherwise.
package struct StartupError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
