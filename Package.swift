// swift-tools-version: 6.2
import PackageDescription

/// Every target: Swift 6 language mode, warnings are errors, imports are internal unless they say otherwise.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

func shared(_ name: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Shared/\(name)", swiftSettings: settings + more)
}

/// A service is a library target (its rules, used by tests and by `daybook up`) and a thin executable.
func service(_ folder: String, executable: String, _ dependencies: [Target.Dependency]) -> [Target] {
  [
    .target(
      name: "\(folder)Service", dependencies: dependencies, path: "Services/\(folder)",
      exclude: ["main", "README.md"], swiftSettings: settings),
    .executableTarget(
      name: executable, dependencies: [.target(name: "\(folder)Service"), "ServiceKit"],
      path: "Services/\(folder)/main", swiftSettings: settings),
  ]
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)Tests",
    exclude: exclude, swiftSettings: settings)
}

let owner: [Target.Dependency] = ["SQLite", "Messaging", "Contracts", "EventLog", "ServiceKit", "HTTP"]
let everyService: [Target.Dependency] = [
  "LibraryService", "VisitorLogService", "TasksService", "ProjectionService", "AuditService", "GatewayService",
]

let package = Package(
  name: "daybook",
  targets: [
    .systemLibrary(
      name: "CSQLite", path: "Shared/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CRdKafka", path: "Shared/CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", path: "Shared/CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "CCrypto", path: "Shared/CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

    shared("SQLite", ["CSQLite"], [.strictMemorySafety()]),
    shared("Messaging", ["CCrypto"]),
    shared("Contracts", ["Messaging"]),
    shared("EventLog", ["Messaging", "SQLite"]),
    shared("KafkaLog", ["Messaging", "EventLog", "CRdKafka"], [.strictMemorySafety()]),
    shared("HTTP", ["Messaging", "CMicroHTTPD"], [.strictMemorySafety()]),
    shared("ServiceKit", ["Messaging", "Contracts", "EventLog", "KafkaLog", "SQLite", "HTTP"]),
  ]
    + service("Library", executable: "library", owner)
    + service("VisitorLog", executable: "visitorlog", owner)
    + service("Tasks", executable: "tasks", owner)
    + service("Projection", executable: "projection", owner)
    + service("Audit", executable: "audit", owner)
    + service("Gateway", executable: "gateway", owner)
    + [
      .target(
        name: "CommandLineClient", dependencies: owner + everyService + ["KafkaLog"], path: "Services/CommandLine",
        exclude: ["main", "README.md"], swiftSettings: settings),
      .executableTarget(
        name: "daybook", dependencies: ["CommandLineClient"], path: "Services/CommandLine/main",
        swiftSettings: settings),

      .target(
        name: "TestSupport", dependencies: owner, path: "Tests/TestSupport", swiftSettings: settings),
      tests("SQLite", ["SQLite"]),
      tests("Messaging", ["Messaging"]),
      tests("Contracts", owner),
      tests("EventLog", ["EventLog", "Messaging", "SQLite"]),
      tests("KafkaLog", ["KafkaLog", "EventLog", "Messaging", "CRdKafka"]),
      tests("HTTP", ["HTTP", "Messaging"]),
      tests("ServiceKit", owner),
      tests("Library", owner + ["LibraryService"]),
      tests("VisitorLog", owner + ["VisitorLogService"]),
      tests("Tasks", owner + ["TasksService"]),
      tests("Projection", owner + everyService),
      tests("Audit", owner + ["AuditService", "TasksService"]),
      tests("Gateway", owner + ["GatewayService", "TasksService"]),
      tests("CommandLine", owner + everyService + ["CommandLineClient"], exclude: ["Fixtures"]),
      tests("EndToEnd", owner + everyService + ["CommandLineClient", "KafkaLog"]),
    ]
)
