import AuditService
import GatewayService
import LibraryService
import ProjectionService
import ServiceKit
import TasksService
import VisitorLogService

/// Which parts there are. A fourth service adds its line to `owners` and its case to `Part`.
enum Composition {
  /// One owner for each partition of each service.
  static func owners(_ context: ServiceContext) -> [any Service] {
    OwnerService<LibraryDomain>.build(context) + OwnerService<VisitorLogDomain>.build(context)
      + OwnerService<TasksDomain>.build(context)
  }

  /// Runs one part alone, as its own executable does; returns its exit status.
  static func serve(_ part: String, _ arguments: [String], environment: [String: String]) async -> Int32 {
    await Serve.main(
      part, arguments: arguments, environment: environment,
      check: { settings in if part == "gateway" { try GatewayService.checkStart(settings) } },
      build: { context, settings in
        switch part {
        case "library": return Serve.Part(OwnerService<LibraryDomain>.build(context), context, settings)
        case "visitorlog": return Serve.Part(OwnerService<VisitorLogDomain>.build(context), context, settings)
        case "tasks": return Serve.Part(OwnerService<TasksDomain>.build(context), context, settings)
        case "projection":
          let projection = ProjectionService(context)
          return Serve.Part([projection], router: projection.router, context, settings)
        case "audit":
          let audit = AuditService(context)
          return Serve.Part([audit], router: audit.router, context, settings)
        default: return try GatewayService.part(context, settings)
        }
      })
  }

  /// What can be built anew from the log, and compared with it.
  enum Part: String, CaseIterable, Sendable {
    case library, visitorlog, tasks, projection, audit

    /// Builds it anew; a line for people about each database.
    func rebuild(_ context: ServiceContext, progress: @escaping @Sendable (Int) -> Void) async throws -> [String] {
      switch self {
      case .library: return try await Self.rebuild(LibraryDomain.self, context, progress)
      case .visitorlog: return try await Self.rebuild(VisitorLogDomain.self, context, progress)
      case .tasks: return try await Self.rebuild(TasksDomain.self, context, progress)
      case .projection:
        try await ProjectionService.rebuild(
          data: context.data, log: context.log, partitionCount: context.partitionCount, progress: progress)
      case .audit:
        try await AuditService.rebuild(
          data: context.data, log: context.log, partitionCount: context.partitionCount, progress: progress)
      }
      return [rawValue]
    }

    /// Compares it; the first row that differs, nil where none does.
    func check(_ context: ServiceContext, progress: @escaping @Sendable (Int) -> Void) async throws -> FoldDifference? {
      switch self {
      case .library: try await Self.check(LibraryDomain.self, context, progress)
      case .visitorlog: try await Self.check(VisitorLogDomain.self, context, progress)
      case .tasks: try await Self.check(TasksDomain.self, context, progress)
      case .projection:
        try await ProjectionService.check(
          data: context.data, log: context.log, partitionCount: context.partitionCount, progress: progress
        ).difference
      case .audit:
        try await AuditService.check(
          data: context.data, log: context.log, partitionCount: context.partitionCount)
      }
    }

    private static func rebuild<D: Domain>(
      _: D.Type, _ context: ServiceContext, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> [String] {
      try await OwnerRebuild<D>.rebuild(context, progress: progress).map { "\($0.name) up to \($0.sequence)" }
    }

    private static func check<D: Domain>(
      _: D.Type, _ context: ServiceContext, _ progress: @escaping @Sendable (Int) -> Void
    ) async throws -> FoldDifference? {
      try await OwnerRebuild<D>.check(context, progress: progress).lazy.compactMap(\.difference).first
    }
  }
}
