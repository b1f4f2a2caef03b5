/// What a server takes at most, in bytes and time.
package struct Limits: Sendable {
  /// Of a body; more is answered 413.
  package var body = 1 << 20
  /// Of the request line's target; more is answered 414.
  package var target = 8 * 1024
  /// Of all headers together; more is answered 431.
  package var headers = 16 * 1024
  package var headerCount = 100
  /// Connections at once; further ones wait to be taken.
  package var connections = 768
  /// Connections at once from one address; further ones are closed.
  package var connectionsPerAddress = 512
  /// From the opening of a connection, or the last answer on it, to the end of a request's head.
  package var idle = Duration.seconds(60)
  /// From a request's head to the end of its body.
  package var receiving = Duration.seconds(30)
  /// From the handler's answer to its last byte; a stream has no such end, only the next piece may take that long.
  package var sending = Duration.seconds(60)

  package init() {}
}

extension Duration {
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return over ? .max : product + attoseconds / 1_000_000_000
  }
}
