package import Messaging

/// The event types of one service: how each is read, and how older versions become the newest. Every reader (owner,
/// projection, audit, client) reads through it.
package struct EventContract<Event: Sendable>: Sendable {
  /// One type and how its data becomes an event.
  package struct Entry: Sendable {
    let type: String
    let read: @Sendable (EventReader) throws(ContractError) -> Event

    /// The entry of a body: `.init(TasksEvent.itemAdded)`.
    package init<Body: EventBody>(_ make: @escaping @Sendable (Body) -> Event) {
      type = Body.type
      read = { (reader) throws(ContractError) in make(try Body(reader)) }
    }
  }

  /// The newest types, in the order they were declared.
  package let types: [String]
  private let readers: [String: Entry]
  private let upcasters: [String: Upcaster]
  /// The highest version known of each name without its version.
  private let newest: [Substring: Int]

  package init(_ entries: [Entry], upcasters: [Upcaster] = []) {
    types = entries.map(\.type)
    readers = Dictionary(entries.map { ($0.type, $0) }) { first, _ in first }
    self.upcasters = Dictionary(upcasters.map { ($0.from, $0) }) { first, _ in first }
    var newest: [Substring: Int] = [:]
    for type in entries.map(\.type) + upcasters.map(\.from) {
      let (name, version) = EventType.split(type)
      newest[name] = max(version, newest[name] ?? 0)
    }
    self.newest = newest
  }

  /// Reads stored data of any known version. Throws `unknownType` where no build up to this one wrote such a type,
  /// `newerVersion` where a newer one did, `unreadable` where the data does not hold what its type promises.
  package func read(type: String, data: JSON) throws(ContractError) -> Event {
    if let entry = readers[type] { return try entry.read(EventReader(type: type, data: data)) }
    let (newType, newData) = try upcast(type: type, data: data)
    guard let entry = readers[newType] else { throw .unknownType(type) }
    return try entry.read(EventReader(type: newType, data: newData))
  }

  /// The newest form of stored data: each upcaster in turn, as long as there is one.
  package func upcast(type: String, data: JSON) throws(ContractError) -> (type: String, data: JSON) {
    guard readers[type] == nil else { return (type, data) }
    guard upcasters[type] != nil else {
      let (name, version) = EventType.split(type)
      if let known = newest[name], version > known { throw .newerVersion(type) }
      throw .unknownType(type)
    }
    guard case .object(var object) = data else {
      throw .unreadable(type: type, reason: "its data is not a JSON object")
    }
    var current = type
    var steps = 0
    while let upcaster = upcasters[current], steps <= upcasters.count {
      do throws(Upcaster.Failure) {
        try upcaster.change(&object)
      } catch {
        throw .unreadable(type: type, reason: error.reason)
      }
      current = upcaster.to
      steps += 1
    }
    return (current, .object(object))
  }
}

/// Event and command types are a name and a version: `tasks.item.added.v1`.
package enum EventType {
  /// `("tasks.item.added", 1)`; version 0 where there is none.
  package static func split(_ type: String) -> (name: Substring, version: Int) {
    guard let dot = type.lastIndex(of: "."), type[dot...].hasPrefix(".v"),
      let version = Int(type[dot...].dropFirst(2)), version > 0
    else { return (type[...], 0) }
    return (type[..<dot], version)
  }
}

/// Turns the data of one old version of an event into the next: what a field that was added, removed, made optional,
/// renamed or retyped needs. The stored record is never changed.
package struct Upcaster: Sendable {
  /// Why old data cannot be turned into new.
  package struct Failure: Error, Sendable {
    let reason: String
    package init(_ reason: String) { self.reason = reason }
  }
  /// Changes the members in place.
  package typealias Change = @Sendable (inout JSONObject) throws(Failure) -> Void

  package let from: String
  package let to: String
  let change: Change

  /// `to` may be the next version or, where an event was renamed, another type.
  package init(from: String, to: String, _ change: @escaping Change) {
    self.from = from
    self.to = to
    self.change = change
  }
}
