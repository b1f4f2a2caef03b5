import Messaging
import SQLite
import ServiceKit

/// Finds the origins of entities by their ids; those that were asked for lately from memory.
final class Origins {
  private struct Key: Hashable {
    let workspace: String
    let kind: Kind
    let id: MessageID
  }
  /// So many are kept; then all are forgotten.
  private static let most = 4096
  private var kept: [Key: Int64] = [:]
  private let find: [Kind: Statement]

  init(_ db: Connection) throws {
    find = try Dictionary(
      uniqueKeysWithValues: Kind.allCases.map {
        ($0, try db.prepare("SELECT origin FROM \($0) WHERE workspace = ? AND id = ?"))
      })
  }

  /// Throws where there is none of that id.
  func origin(_ kind: Kind, _ id: MessageID, at place: FoldPlace) throws -> Int64 {
    let key = Key(workspace: place.workspace, kind: kind, id: id)
    if let origin = kept[key] { return origin }
    guard let origin = try find[kind]?.first(place.workspace, id, row: { $0.int64(0) }) else {
      throw FoldError.missing(kind, id)
    }
    keep(origin, key)
    return origin
  }

  /// An entity came to be.
  func add(_ kind: Kind, _ id: MessageID, _ origin: Int64, at place: FoldPlace) {
    keep(origin, Key(workspace: place.workspace, kind: kind, id: id))
  }

  /// An entity is gone.
  func remove(_ kind: Kind, _ id: MessageID, at place: FoldPlace) {
    kept[Key(workspace: place.workspace, kind: kind, id: id)] = nil
  }

  /// Forgets all: the transaction was rolled back.
  func drop() { kept.removeAll(keepingCapacity: true) }

  private func keep(_ origin: Int64, _ key: Key) {
    if kept.count >= Self.most { drop() }
    kept[key] = origin
  }
}
