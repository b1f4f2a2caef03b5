/// How a visitor's two names are put together; either of them may be blank, not both.
package enum VisitorName {
  /// As lists show it: `Lovelace, Ada`; where one name is blank the other alone.
  package static func listed(first: String, last: String) -> String {
    first.isEmpty ? last : last.isEmpty ? first : "\(last), \(first)"
  }

  /// As it is said: `Ada Lovelace`.
  package static func full(first: String, last: String) -> String {
    first.isEmpty ? last : last.isEmpty ? first : "\(first) \(last)"
  }
}
