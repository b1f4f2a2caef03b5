package import Messaging

/// The data of one type of event.
package protocol EventBody: Sendable, Equatable {
  /// The newest version: `tasks.item.added.v1`.
  static var type: String { get }
  /// What it happened to: `item/<id>`, where `<id>` is the data's `id`.
  var subject: String { get }
  /// The data as written to the log; optional values are written as null.
  var json: JSON { get }
  /// Reads what `json` wrote.
  init(_ reader: EventReader) throws(ContractError)
}

/// Reads an event's data member by member; a member of the wrong kind is `ContractError.unreadable`.
package struct EventReader: Sendable {
  package let type: String
  private let object: JSONObject
  private let before: JSONObject?
  private let after: JSONObject?

  package init(type: String, data: JSON) throws(ContractError) {
    guard case .object(let object) = data else {
      throw .unreadable(type: type, reason: "its data is not a JSON object")
    }
    self.type = type
    self.object = object
    before = object["before"]?.object
    after = object["after"]?.object
  }

  /// A member; an absent one reads as null.
  package func get<Value: EventValue>(_ key: String) throws(ContractError) -> Value {
    guard let value = Value(json: object[key] ?? .null) else { throw wrong(key) }
    return value
  }

  /// A field of an edit: nil where neither `before` nor `after` holds it.
  package func changed<Value: EventValue>(_ key: String) throws(ContractError) -> Changed<Value>? {
    guard let was = before?[key], let now = after?[key] else { return nil }
    guard let was = Value(json: was), let now = Value(json: now) else { throw wrong(key) }
    return Changed(before: was, after: now)
  }

  /// A field that this type of event always changes.
  package func change<Value: EventValue>(_ key: String) throws(ContractError) -> Changed<Value> {
    guard let change: Changed<Value> = try changed(key) else { throw wrong(key) }
    return change
  }

  /// What must not be nil.
  package func value<Value>(_ value: Value?, _ key: String) throws(ContractError) -> Value {
    guard let value else { throw wrong(key) }
    return value
  }

  private func wrong(_ key: String) -> ContractError {
    .unreadable(type: type, reason: "its \"\(key)\" is missing or of the wrong kind")
  }
}

/// Collects the changed fields of an edit and writes them as `"before": {…}, "after": {…}`.
package struct EventChanges {
  private var before: [JSONObject.Member] = []
  private var after: [JSONObject.Member] = []

  package init() {}

  /// Adds a field, where it changed.
  package mutating func add<Value>(_ key: String, _ change: Changed<Value>?) {
    guard let change else { return }
    before.append(.init(key: key, value: change.before.json))
    after.append(.init(key: key, value: change.after.json))
  }

  /// `{"id": …, …members, "before": {…}, "after": {…}}`.
  package func json(id: MessageID, _ members: JSONObject = [:]) -> JSON {
    .object(
      JSONObject(
        unique: [.init(key: "id", value: id.json)] + members.members + [
          .init(key: "before", value: .object(JSONObject(unique: before))),
          .init(key: "after", value: .object(JSONObject(unique: after))),
        ]))
  }
}
