import CMicroHTTPD
import Glibc
import Messaging
import Synchronization

/// What the callbacks of one server share.
final class ServerCore: Sendable {
  private struct State {
    var isStopping = false
    var exchanges: [ObjectIdentifier: Exchange] = [:]
    var streams: [ObjectIdentifier: StreamBody] = [:]
    var drained: [AsyncStream<Void>.Continuation] = []
  }

  private let limits: Limits
  private let observe: Server.Observer?
  private let handler: Handler
  private let state = Mutex(State())
  private let links = Mutex<[ObjectIdentifier: Link]>([:])
  /// When the deadlines are looked through next; `.max`: not at all.
  private let nextCheck = Atomic<Int64>(.max)

  init(limits: Limits, observe: Server.Observer?, handler: @escaping Handler) {
    self.limits = limits
    self.observe = observe
    self.handler = handler
  }

  // MARK: - Connections and their deadlines

  func opened(socket: Int32) -> Link {
    let link = Link(socket: socket, deadline: .max)
    links.withLock { $0[ObjectIdentifier(link)] = link }
    set(link, limits.idle.nanoseconds)
    return link
  }

  /// The socket is still open when this is called.
  func closed(_ link: Link) { _ = links.withLock { $0.removeValue(forKey: ObjectIdentifier(link)) } }

  private func set(_ link: Link?, _ nanoseconds: Int64?) {
    guard let link else { return }
    guard let nanoseconds else { return link.deadline.store(.max, ordering: .sequentiallyConsistent) }
    let (deadline, over) = Poller.now().addingReportingOverflow(nanoseconds)
    guard !over else { return link.deadline.store(.max, ordering: .sequentiallyConsistent) }
    link.deadline.store(deadline, ordering: .sequentiallyConsistent)
    check(at: deadline)
  }

  /// Sees to it that the deadlines are looked through at that moment or before.
  private func check(at moment: Int64) {
    var known = nextCheck.load(ordering: .sequentiallyConsistent)
    while moment < known {
      let (done, now) = nextCheck.compareExchange(expected: known, desired: moment, ordering: .sequentiallyConsistent)
      if done {
        _ = Poller.shared.at(moment) { [weak self] in self?.checkDeadlines(moment) }
        return
      }
      known = now
    }
  }

  private func checkDeadlines(_ moment: Int64) {
    // An earlier check took over: it sees to the rest.
    guard nextCheck.compareExchange(expected: moment, desired: .max, ordering: .sequentiallyConsistent).exchanged else {
      return
    }
    let now = Poller.now()
    let next = links.withLock { links in
      var next = Int64.max
      for link in links.values {
        let deadline = link.deadline.load(ordering: .sequentiallyConsistent)
        if deadline <= now {
          link.deadline.store(.max, ordering: .sequentiallyConsistent)
          shutdown(link.socket, Int32(SHUT_RDWR))
        } else {
          next = min(next, deadline)
        }
      }
      return next
    }
    if next != .max { check(at: next) }
  }

  // MARK: - Requests

  /// `length`: of the target as it was sent. libmicrohttpd calls for the head, for each piece of the body, at its end, and after each resume.
  func access(
    _ exchange: Exchange, _ link: Link?, method: String, version: String, length: UInt, body: UnsafeRawBufferPointer
  ) -> MHD_Result {
    let phase = exchange.state.withLock { $0.phase }
    switch phase {
    case .opened(let target): return begin(exchange, link, method, version, target, length)
    case .receiving(let head, _, let excess):
      if unsafe !body.isEmpty { return unsafe receive(exchange, body) }
      return excess > 0
        ? send(.problem(RequestError.tooLarge(limits).problem), exchange, link, closes: false)
        : run(exchange, link, head)
    case .handling: return .YES
    case .answered(let response): return send(response, exchange, link, closes: false)
    case .sent: return .YES
    }
  }

  private func begin(
    _ exchange: Exchange, _ link: Link?, _ method: String, _ version: String, _ target: [UInt8],
    _ length: UInt
  ) -> MHD_Result {
    exchange.state.withLock { state in
      state.method = method
      state.began = Poller.now()
    }
    do throws(RequestError) {
      guard !version.hasPrefix("HTTP/") || length == UInt(target.count) else {
        throw .malformed("the target of the request holds a NUL")
      }
      let head = try RequestHead(
        method: method, version: version, target: target, fields: exchange.connection.fields, limits: limits)
      let length = head.headers["content-length"].flatMap { Int($0) } ?? 0
      // A body that is a little too large is read and dropped, so that the client gets to read the answer.
      if length > limits.body, head.headers["expect"] != nil || length / 16 > limits.body { throw .tooLarge(limits) }
      let excess = max(0, length - limits.body)
      set(link, limits.receiving.nanoseconds)
      exchange.state.withLock { $0.phase = .receiving(head, body: [], excess: excess) }
      return .YES
    } catch {
      return send(.problem(error.problem), exchange, link, closes: true)
    }
  }

  private func receive(_ exchange: Exchange, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    exchange.state.withLock { state in
      guard case .receiving(let head, var body, let excess) = state.phase else { return .NO }
      state.phase = .sent
      if excess > 0 || body.count + piece.count > limits.body {
        // A chunked body without an end: the connection closes.
        guard excess / 16 <= limits.body else { return .NO }
        state.phase = .receiving(head, body: [], excess: excess + piece.count)
      } else {
        unsafe body.append(contentsOf: piece)
        state.phase = .receiving(head, body: body, excess: 0)
      }
      return .YES
    }
  }

  private func run(_ exchange: Exchange, _ link: Link?, _ head: RequestHead) -> MHD_Result {
    let enters = state.withLock { state in
      if state.isStopping { return false }
      state.exchanges[ObjectIdentifier(exchange)] = exchange
      return true
    }
    guard enters else {
      let problem = Problem(code: "stopping", status: 503, detail: "This process is stopping; try again.")
      return send(.problem(problem), exchange, link, closes: true)
    }
    set(link, nil)
    let body = exchange.state.withLock { state -> [UInt8] in
      guard case .receiving(_, let body, _) = state.phase else { return [] }
      state.phase = .handling
      return body
    }
    let request = Request(
      method: head.method, path: head.target.path, query: head.target.query, headers: head.headers, body: body)
    unsafe MHD_suspend_connection(exchange.connection.pointer)
    let task =
      body.count <= Self.small
      ? Task.immediateDetached { [handler] in exchange.finish(await handler(request)) }
      : Task.detached { [handler] in exchange.finish(await handler(request)) }
    exchange.state.withLock { $0.task = task }
    return .YES
  }

  /// Up to so many bytes a request begins on the server's own thread, up to where it first waits: the way to another one
  /// costs more than to read it. Larger ones would keep other clients waiting.
  private static let small = 16 << 10

  private func send(_ response: Response, _ exchange: Exchange, _ link: Link?, closes: Bool) -> MHD_Result {
    exchange.state.withLock { state in
      state.phase = .sent
      state.route = response.route
      state.status = response.status
      state.task = nil
    }
    let made: OpaquePointer?
    switch response.body {
    case .bytes(let bytes):
      set(link, limits.sending.nanoseconds + Int64(bytes.count) * 50_000)
      unsafe made = bytes.withUnsafeBytes {
        unsafe MHD_create_response_from_buffer(
          $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      set(link, nil)
      unsafe made = streaming(stream, exchange, link)
    }
    guard let made = unsafe made else { return .NO }
    for header in response.headers { unsafe MHD_add_response_header(made, header.name, header.value) }
    if closes { unsafe MHD_add_response_header(made, "connection", "close") }
    let result = unsafe MHD_queue_response(exchange.connection.pointer, UInt32(response.status), made)
    unsafe MHD_destroy_response(made)
    return result
  }

  private func streaming(
    _ stream: AsyncThrowingStream<[UInt8], any Error>, _ exchange: Exchange, _ link: Link?
  ) -> OpaquePointer? {
    let body = StreamBody(exchange.connection, socket: link?.socket ?? -1)
    let context = unsafe Unmanaged.passRetained(body).toOpaque()
    let made = unsafe MHD_create_response_from_callback(
      UInt64.max, 32 * 1024, readCallback, context, releaseCallback)
    guard unsafe made != nil else {
      unsafe Unmanaged<StreamBody>.fromOpaque(context).release()
      return nil
    }
    let isStopping = state.withLock { state in
      state.streams[ObjectIdentifier(exchange)] = body
      return state.isStopping
    }
    if isStopping { body.end(broken: true) }
    body.start(stream)
    return unsafe made
  }

  /// The answer is out, or the connection is gone.
  func completed(_ exchange: Exchange, _ link: Link?) {
    set(link, limits.idle.nanoseconds)
    let drained = state.withLock { state -> [AsyncStream<Void>.Continuation] in
      state.streams[ObjectIdentifier(exchange)] = nil
      guard state.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) != nil, state.exchanges.isEmpty else {
        return []
      }
      defer { state.drained = [] }
      return state.drained
    }
    for continuation in drained { continuation.finish() }
    guard let observe else { return }
    let (route, method, status, began) = exchange.state.withLock { ($0.route, $0.method, $0.status, $0.began) }
    guard status > 0 else { return }
    observe(route, Self.methods.contains(method) ? method : "other", status, Double(Poller.now() - began) / 1e9)
  }

  /// The only ones that an observer hears of by name: what clients make up must not become labels without end.
  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  // MARK: - Stopping

  /// From here on requests are refused, and streams end.
  func stop() {
    let streams = state.withLock { state in
      state.isStopping = true
      return state.streams.values
    }
    for stream in streams { stream.end(broken: true) }
  }

  /// Whether the last request was answered within the time.
  func drained(within patience: Duration) async -> Bool {
    let (done, continuation) = AsyncStream.makeStream(of: Void.self)
    let isEmpty = state.withLock { state in
      if !state.exchanges.isEmpty { state.drained.append(continuation) }
      return state.exchanges.isEmpty
    }
    if isEmpty { return true }
    let token = Poller.shared.at(Poller.now() + patience.nanoseconds) { continuation.finish() }
    for await _ in done {}
    Poller.shared.forget(token)
    return state.withLock { $0.exchanges.isEmpty }
  }

  /// Asks the handlers that still work to answer what they can.
  func cancel() {
    let exchanges = state.withLock { $0.exchanges.values }
    for exchange in exchanges { exchange.cancel() }
  }

  /// Answers 503 in place of the handlers that still work.
  func abandon() {
    let exchanges = state.withLock { $0.exchanges.values }
    for exchange in exchanges { exchange.abandon() }
  }
}
