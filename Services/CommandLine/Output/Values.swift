import Messaging

/// How values of the read model are shown to people.
enum Values {
  /// The last 8 characters of an id: enough to name it again.
  static func ending(_ id: String) -> String { String(id.suffix(8)) }

  /// A time in the clock's zone; as it is where it is no time.
  static func time(_ json: JSON?, _ clock: Clock) -> String {
    guard let text = json?.string else { return "" }
    return Timestamp(text).map { clock.show($0) } ?? text
  }

  /// A text, a number, a name of an object, names of a list; empty for null.
  static func plain(_ json: JSON?) -> String {
    switch json {
    case nil, .null: ""
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .bool(let value): value ? "yes" : "no"
    case .array(let values): values.map { plain($0) }.joined(separator: ", ")
    case .object(let object):
      (object["name"] ?? object["title"] ?? object["number"])?.string ?? JSON.object(object).text
    }
  }

  /// A member of an entity by what its name says it is: `…At` a time, anything else as it is.
  static func member(_ key: String, _ value: JSON, _ clock: Clock) -> String {
    if key.hasSuffix("At") || key == "time", value.string != nil { return time(value, clock) }
    return plain(value)
  }

  /// `due on` for `dueOn`.
  static func words(_ key: String) -> String {
    var out = ""
    for character in key {
      if character.isUppercase { out += " " }
      out += character.lowercased()
    }
    return out
  }
}
