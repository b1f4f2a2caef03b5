import Messaging
import SQLite

/// Where a follower keeps its file and what it follows.
package struct FollowerPlan: Sendable {
  /// `projection`, `audit`: its folder, its file, its name in logs and status.
  package let name: String
  /// The data directory.
  package let data: String
  package let services: [String]
  package let partitionCount: Int
  /// The most records that one read takes.
  package var readLimit = 1000
  /// How many bytes of the file its readers map into memory.
  package var mapped: Int64 = 0
  /// How long a lag may stand still, with records to read, before it is told.
  package var patience: Duration = .seconds(10)
  /// Waits before something outside is tried again (a topic that is not there yet, a full disk): 0.2 s, 0.4 s, … 5 s.
  /// Not used while all is well.
  package var pause: @Sendable (_ attempt: Int) async throws -> Void = { attempt in
    try await Task.sleep(for: .milliseconds(min(5000, 200 << min(attempt, 5))))
  }

  package init(_ name: String, data: String, services: [String] = ServiceContext.owners, partitionCount: Int) {
    self.name = name
    self.data = data
    self.services = services
    self.partitionCount = partitionCount
  }

  package var folder: String { "\(data)/\(name)" }
  package var path: String { "\(folder)/\(name).sqlite" }
  package var partitions: [ServicePartition] { .init(ServicePartition.all(services, partitionCount: partitionCount)) }

  /// Keeps two processes from one file. Throws a `StartupError` that names the holder.
  package func lock(for holder: String) throws(StartupError) -> FileLock {
    try FileLock("\(folder)/\(name).lock", holder: holder)
  }
}
