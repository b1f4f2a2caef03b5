import Messaging
import SQLite

/// What a file knows of the builds that folded it.
enum FollowerBuild {
  /// Why this build should build the file anew; nil where it may go on. Marks a new file as folded by this build.
  static func rebuildReason<Effect: FollowerEffect>(_ db: Connection, _: Effect.Type) throws -> String? {
    let known = try db.prepare("SELECT version FROM follower_fold").first { $0.int($0.count - 1) }
    guard let known else {
      try db.prepare("INSERT INTO follower_fold VALUES (1, ?)").run(Effect.foldVersion)
      return nil
    }
    guard known <= Effect.foldVersion else {
      throw StartupError(
        "\(db.path) was folded by a newer Daybook (\(known), this build folds \(Effect.foldVersion)); run the newer "
          + "build, or rebuild it with this one")
    }
    if known < Effect.foldVersion { return "it was folded by an older build (\(known), now \(Effect.foldVersion))" }
    let passedOver = try db.prepare("SELECT DISTINCT type FROM follower_passed_over ORDER BY type").map { $0.string(0) }
    return passedOver.first(where: Effect.knows).map { "an earlier build passed over \($0), which this one knows" }
  }
}
