extension CommandCatalogue {
  /// Every service that takes commands; a new service adds its line here.
  package static let all: [CommandCatalogue] = [
    .library,
    .visitorlog,
    .tasks,
  ]
}
