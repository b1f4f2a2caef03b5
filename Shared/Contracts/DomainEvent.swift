package import Messaging

/// An event of one service: a closed enum with one case a type. Codes and decodes its own data; no logic.
package protocol DomainEvent: Sendable, Equatable {
  /// The newest version's type: `tasks.item.added.v1`.
  var type: String { get }
  /// What it happened to: `item/<id>`.
  var subject: String { get }
  /// The data, as it is written to the log.
  var data: JSON { get }
  /// Reads the data of a stored event of any known version: an older one goes through its upcasters first.
  init(type: String, data: JSON) throws(ContractError)
}

/// Why a stored event cannot be read by this build.
package enum ContractError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A type that no build up to this one wrote: readers pass it over and remember it.
  case unknownType(String)
  /// A newer version of a known type: readers stop.
  case newerVersion(String)
  /// The data does not hold what its type promises: readers stop.
  case unreadable(type: String, reason: String)

  package var description: String {
    switch self {
    case .unknownType(let type): "the event type \(type) is not known to this build; run the build that wrote it"
    case .newerVersion(let type): "\(type) is newer than this build knows; run the newer build"
    case .unreadable(let type, let reason): "an event \(type) cannot be read: \(reason)"
    }
  }
}
