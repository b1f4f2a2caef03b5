import HTTP

/// Splits a streamed body into its lines.
enum LineStream {
  /// The lines without their ends, empty ones left out; ends with the body.
  static func lines(of body: Response.Body) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          var rest: [UInt8] = []
          switch body {
          case .bytes(let bytes): split(bytes, &rest, continuation)
          case .stream(let stream): for try await chunk in stream { split(chunk, &rest, continuation) }
          }
          if !rest.isEmpty { continuation.yield(rest) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func split(
    _ chunk: [UInt8], _ rest: inout [UInt8], _ out: AsyncThrowingStream<[UInt8], any Error>.Continuation
  ) {
    var start = 0
    for index in chunk.indices where chunk[index] == 0x0A {
      let line = rest + chunk[start..<index]
      rest = []
      start = index + 1
      if !line.isEmpty { out.yield(line) }
    }
    rest += chunk[start...]
  }
}
