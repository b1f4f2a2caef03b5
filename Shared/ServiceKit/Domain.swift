package import Contracts
package import Messaging
package import SQLite

/// The rules of one service. `decide` reads and answers; `evolve` writes and never refuses. Both run inside the
/// owner's transaction, on its thread; one instance belongs to one connection.
///
/// The split of `decide` and `evolve` is Jérémie Chassaing's decider pattern ("Functional Event Sourcing Decider").
package protocol Domain: SendableMetatype {
  associatedtype Event: DomainEvent

  /// `tasks`; the first part of every type it takes and makes.
  static var service: String { get }
  /// The steps of the domain's own tables (`STRICT`, every key begins with the workspace). Steps are only added.
  static var schema: [String] { get }
  /// The domain's tables, each with the columns of its primary key: what a digest and a comparison walk over.
  static var tables: [(name: String, key: String)] { get }

  /// Prepares its statements.
  init(_ db: Connection) throws

  /// The events that the command makes, none where it changes nothing. Throws a `Problem` to refuse; any other error
  /// ends the batch undone. Never writes.
  func decide(_ command: Command, now: Timestamp) throws -> Accepted<Event>

  /// Writes what the event says. Total over every event that `decide` can return.
  func evolve(_ event: Event, at place: EventPlace) throws
}

/// What `decide` answers where it does not refuse.
package struct Accepted<Event> {
  /// The entity made or changed: the `id` of the answer; nil where there is none (`item.delete-completed`).
  package var entity: MessageID?
  package var events: [Event]
  package init(_ entity: MessageID?, _ events: [Event]) {
    self.entity = entity
    self.events = events
  }
}

/// Where an event stands: what every row that it writes may need.
package struct EventPlace: Sendable {
  package let workspace: String
  /// Kept by the entity as its `sequence`, for `ifSequence`.
  package let sequence: Int64
  /// Never before the previous event's in its partition.
  package let time: Timestamp
  package init(workspace: String, sequence: Int64, time: Timestamp) {
    self.workspace = workspace
    self.sequence = sequence
    self.time = time
  }
}
