package import Messaging

/// A value that stands in an event's data, written and read by hand: the same `json` always gives the same value back.
package protocol EventValue: Sendable, Equatable {
  var json: JSON { get }
  /// Nil where the JSON does not hold such a value.
  init?(json: JSON)
}

extension EventValue {
  /// A member of an object; an absent one reads as null. Nil where it does not hold such a value.
  package init?(in json: JSON, _ key: String) { self.init(json: json[key] ?? .null) }
}

extension String: EventValue {
  package var json: JSON { .string(self) }
  package init?(json: JSON) {
    guard case .string(let text) = json else { return nil }
    self = text
  }
}

extension Bool: EventValue {
  package var json: JSON { .bool(self) }
  package init?(json: JSON) {
    guard case .bool(let value) = json else { return nil }
    self = value
  }
}

extension Int: EventValue {
  package var json: JSON { .integer(Int64(self)) }
  package init?(json: JSON) {
    guard case .integer(let value) = json else { return nil }
    self = Int(value)
  }
}

extension MessageID: EventValue {
  package var json: JSON { .string(description) }
  package init?(json: JSON) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
}

extension Timestamp: EventValue {
  package var json: JSON { .string(description) }
  package init?(json: JSON) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
}

extension Day: EventValue {
  package var json: JSON { .string(description) }
  package init?(json: JSON) {
    guard case .string(let text) = json else { return nil }
    self.init(text)
  }
}

extension Optional: EventValue where Wrapped: EventValue {
  package var json: JSON { self?.json ?? .null }
  package init?(json: JSON) {
    if json.isNull {
      self = .none
    } else if let value = Wrapped(json: json) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

extension Array: EventValue where Element: EventValue {
  package var json: JSON { .array(map(\.json)) }
  package init?(json: JSON) {
    guard case .array(let elements) = json else { return nil }
    self = []
    reserveCapacity(elements.count)
    for element in elements {
      guard let value = Element(json: element) else { return nil }
      append(value)
    }
  }
}

/// An entity as others mention it: its id, and its name or title when the event happened.
package struct Named: EventValue, Hashable {
  package let id: MessageID
  package let name: String

  package init(id: MessageID, name: String) {
    self.id = id
    self.name = name
  }

  package var json: JSON { ["id": id.json, "name": name.json] }
  package init?(json: JSON) {
    guard let id = json["id"].flatMap(MessageID.init(json:)), let name = json["name"]?.string else { return nil }
    self.init(id: id, name: name)
  }
}

/// A field that an event changed: its value before and after.
package struct Changed<Value: EventValue>: Sendable, Equatable {
  package let before: Value
  package let after: Value

  package init(before: Value, after: Value) {
    self.before = before
    self.after = after
  }

  /// Nil where both are the same: nothing changed.
  package init?(from before: Value, to after: Value) {
    guard before != after else { return nil }
    self.init(before: before, after: after)
  }
}

/// The `counts` of a delete event: how many of what went or stayed with it.
package struct EventCounts: EventValue, ExpressibleByDictionaryLiteral {
  private let members: JSONObject

  package init(dictionaryLiteral elements: (String, Int)...) {
    members = JSONObject(unique: elements.map { .init(key: $0.0, value: $0.1.json) })
  }

  package var json: JSON { .object(members) }
  package init?(json: JSON) {
    guard case .object(let members) = json, members.members.allSatisfy({ $0.value.integer != nil }) else { return nil }
    self.members = members
  }

  /// One count of a stored event.
  package func get(_ key: String, of reader: EventReader) throws(ContractError) -> Int {
    guard let count = members[key]?.integer else {
      throw .unreadable(type: reader.type, reason: "its \"counts\" have no \"\(key)\"")
    }
    return Int(count)
  }
}
