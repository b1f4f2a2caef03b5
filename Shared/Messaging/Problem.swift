/// A refusal, written as an RFC 9457 problem. Domain rules throw it; each edge maps it once (HTTP status, exit status).
package struct Problem: Error, Sendable, Equatable {
  /// A field and what is wrong with it.
  package struct FieldError: Sendable, Equatable {
    package let field: String
    package let message: String
    package init(field: String, message: String) {
      self.field = field
      self.message = message
    }
  }

  /// Stable, for programs: `tag-name-taken`.
  package let code: String
  /// The HTTP status that fits it.
  package let status: Int
  /// One plain sentence for people: what, and what to do.
  package let detail: String
  package var errors: [FieldError] = []
  /// Members beside the standard ones: `existing`, `count`, `candidates`, …
  package var members: JSONObject = [:]

  package init(
    code: String, status: Int, detail: String, errors: [FieldError] = [], members: JSONObject = [:]
  ) {
    self.code = code
    self.status = status
    self.detail = detail
    self.errors = errors
    self.members = members
  }

  /// 422: a field that breaks a rule.
  package static func invalid(_ field: String, _ message: String) -> Problem {
    invalid([FieldError(field: field, message: message)])
  }
  /// 422: several fields at once.
  package static func invalid(_ errors: [FieldError]) -> Problem {
    Problem(
      code: "invalid", status: 422,
      detail: errors.map { "\($0.field): \($0.message)" }.joined(separator: "; "), errors: errors)
  }
  /// 404: nothing of this kind has that id or name.
  package static func notFound(_ kind: String, _ reference: String) -> Problem {
    Problem(code: "not-found", status: 404, detail: "There is no \(kind) \(reference).")
  }
  /// 409: the state forbids it; `code` says which rule.
  package static func conflict(_ code: String, _ detail: String, _ members: JSONObject = [:]) -> Problem {
    Problem(code: code, status: 409, detail: detail, members: members)
  }
  /// 400: not the JSON that is asked for.
  package static func malformed(_ detail: String) -> Problem {
    Problem(code: "malformed", status: 400, detail: detail)
  }
  /// 413: over a size limit.
  package static func tooLarge(_ detail: String) -> Problem {
    Problem(code: "too-large", status: 413, detail: detail)
  }

  /// The code in words: `tag name taken` for `tag-name-taken`, first letter large.
  package var title: String {
    let words = code.split(separator: "-").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// `{"type","title","status","detail","code","errors", …members}`.
  package var json: JSONObject {
    var object: JSONObject = [
      "type": .string("urn:daybook:problem:\(code)"), "title": .string(title), "status": JSON(status),
      "detail": .string(detail), "code": .string(code),
      "errors": .array(errors.map { ["field": .string($0.field), "message": .string($0.message)] }),
    ]
    for member in members.members { object[member.key] = member.value }
    return object
  }
}
