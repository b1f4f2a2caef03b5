import LibraryService
import ServiceKit
import TasksService
import VisitorLogService

/// Which services there are: a fourth one adds its line to each.
enum Composition {
  /// One owner for each partition of each service.
  static func owners(_ context: ServiceContext) -> [any Service] {
    OwnerService<LibraryDomain>.build(context) + OwnerService<VisitorLogDomain>.build(context)
      + OwnerService<TasksDomain>.build(context)
  }
}
