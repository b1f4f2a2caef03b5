import Foundation
import Messaging
import SQLite

/// The place behind the last row of a page: what that row was sorted by, and the query that it is a place in. Opaque to
/// clients.
struct Cursor: Equatable {
  /// Of everything that decides which rows come, and in which order.
  let query: String
  let values: [Value]

  init(query: String, values: [Value]) {
    self.query = query
    self.values = values
  }

  /// The first 64 bits of the SHA-256 over what makes a query, each part behind its length.
  static func fingerprint(_ parts: [String]) -> String {
    let bytes = parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    return Digest.hex(Array(Digest.sha256(bytes).prefix(8)))
  }

  /// Throws `invalid` for what is no cursor, and for one that another query gave out.
  init(_ text: String, for query: String, count: Int) throws(Problem) {
    let padded = text.replacing("-", with: "+").replacing("_", with: "/")
    let filled = padded + String(repeating: "=", count: (4 - padded.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: filled), let json = try? JSON(parsing: Array(data)),
      let elements = json.array, let first = elements.first?.string
    else { throw .invalid("cursor", "is not a cursor that a list gave out") }
    let values = elements.dropFirst().compactMap { json -> Value? in
      switch json {
      case .null: .null
      case .integer(let value): .integer(value)
      case .string(let text): .text(text)
      default: nil
      }
    }
    guard first == query, values.count == count, values.count == elements.count - 1 else {
      throw .invalid("cursor", "belongs to another query; leave it out to begin at the first page")
    }
    self.init(query: query, values: values)
  }

  var text: String {
    let elements: [JSON] = values.map { value in
      switch value {
      case .integer(let value): .integer(value)
      case .text(let text): .string(text)
      default: .null
      }
    }
    return Data(JSON.array([.string(query)] + elements).bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
