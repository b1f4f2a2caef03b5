import EventLog
package import HTTP
import Messaging
package import ServiceKit

/// The door to everything: takes commands over HTTP and answers with their decisions, passes reads on to projection
/// and audit.
package final class GatewayService: Service {
  package struct Options: Sendable {
    /// The address that its HTTP server binds: another than this machine's own needs tokens.
    package var host = "127.0.0.1"
    /// Refuses commands, and needs no log.
    package var isReadOnly = false
    /// How long a command waits for its decision where the client says nothing.
    package var wait = Duration.seconds(10)
    package var services = ServiceContext.owners
    /// The partitions whose decisions are listened for; nil: all.
    package var partitions: [ServicePartition]?
    /// Who the records of its commands say they are from.
    package var source = "/daybook/gateway"
    package init() {}
  }

  package let name = "gateway"
  let context: ServiceContext
  let options: Options
  let projection: Handler
  let audit: Handler
  let logger: Logger
  let trouble: TroubleLog
  let tokens: TokenGuard
  let waiters = Waiters()
  let receipts = LastReceipts()

  /// `projection` and `audit` answer reads: the router of the same process, or `Backend.remote`.
  package init(
    _ context: ServiceContext, options: Options = Options(), projection: @escaping Handler, audit: @escaping Handler
  ) {
    self.context = context
    self.options = options
    self.projection = projection
    self.audit = audit
    logger = context.logger.named("gateway")
    trouble = TroubleLog(logger)
    tokens = TokenGuard(Tokens(data: context.data), host: options.host)
  }

  /// Throws where the tokens cannot be read, or where other machines could reach it without one. Writes nothing.
  package static func checkStart(data: String, host: String) throws {
    try TokenGuard(Tokens(data: data), host: host).checkStart(host: host)
  }

  /// As above, of a process of its own.
  package static func checkStart(_ settings: Settings) throws {
    try checkStart(data: settings.data, host: settings.host)
  }

  /// A gateway in a process of its own, which reaches projection and audit over HTTP.
  package static func part(_ context: ServiceContext, _ settings: Settings) throws -> Serve.Part {
    var options = Options()
    options.host = settings.host
    let gateway = GatewayService(
      context, options: options, projection: try Backend.remote("projection", url: settings.projection),
      audit: try Backend.remote("audit", url: settings.audit))
    return Serve.Part([gateway], handler: gateway.handler)
  }

  /// Throws what `checkStart` does.
  package func prepare() async throws {
    try tokens.checkStart(host: options.host)
    if !options.isReadOnly {
      context.health.set(DecisionListener.component, .starting("reads the decisions since it last ran"))
    }
  }

  /// Listens for decisions until it is cancelled; clients that still wait are then told that it is not decided yet.
  package func run() async throws {
    defer { waiters.close() }
    guard !options.isReadOnly else { return await untilCancelled() }
    await DecisionListener(
      context: context,
      partitions: options.partitions
        ?? ServicePartition.all(options.services, partitionCount: context.partitionCount), audit: audit,
      waiters: waiters, logger: logger,
      trouble: TroubleLog(logger)
    ).run()
    await untilCancelled()
  }

  /// Returns once it has begun to listen to the end: nil where it is ready, else why it is not.
  package func readiness() async -> String? {
    await context.health.settled()
    return context.health.state(of: DecisionListener.component)?.detail
  }

  /// Every `/v1` route, behind the tokens.
  package var router: Router {
    let log = logger
    var router = Router { error, request in
      log.log(.error, "a request failed: \(error)", ["route": .string(request.route)])
    }
    func on(
      _ method: String, _ pattern: String,
      _ route: @escaping @Sendable (Request, TokenGuard.Caller) async throws -> Response
    ) {
      router.on(method, pattern) { [tokens] request in try await route(request, tokens.caller(request)) }
    }
    on("POST", "/v1/commands") { try await self.command($0, $1) }
    on("GET", "/v1/status") { request, _ in try await self.status(request) }
    on("GET", "/v1/positions") { request, _ in throw Problem.notFound("page", request.path) }
    for pattern in ["/v1/history", "/v1/history/{path...}", "/v1/events", "/v1/commands/{id}"] {
      on("GET", pattern) { request, _ in await self.forward(request, to: self.audit) }
    }
    on("GET", "/v1/{path...}") { request, _ in await self.forward(request, to: self.projection) }
    return router
  }

  /// Everything that a process with a gateway serves: `router` and the operations routes, behind the checks that keep
  /// web pages of other sites out. `/healthz` and `/readyz` need no token, `/metrics` does where there are tokens.
  package var handler: Handler {
    var router = router
    router.add(.operations(context.health, context.metrics))
    let isLocal = BrowserGuard.isLoopback(options.host)
    return { [router, tokens, logger] request in
      do {
        // With tokens a name of one's own may stand before a local gateway: a page does not know the token.
        let needsToken = try tokens.isRequired()
        let sites = BrowserGuard(checksHost: isLocal && !needsToken)
        if let problem = sites.refusal(request, isTaken: router.takes(request)) { return .problem(problem) }
        if request.path == "/metrics" { _ = try tokens.caller(request) }
      } catch let problem as Problem {
        return Self.unauthorized(problem)
      } catch {
        logger.log(.error, "the tokens cannot be read: \(error)")
        return .problem(Problem(code: "internal", status: 500, detail: "The tokens cannot be read; see the log."))
      }
      return Self.challenged(await router.handle(request))
    }
  }

  private static func unauthorized(_ problem: Problem) -> Response { challenged(.problem(problem)) }

  /// A 401 says what it wants.
  private static func challenged(_ response: Response) -> Response {
    guard response.status == 401 else { return response }
    var response = response
    response.headers.append(("www-authenticate", "Bearer"))
    return response
  }
}
