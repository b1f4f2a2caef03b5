import Foundation
import HTTP
import Messaging

/// A command as it came over HTTP, checked as far as the gateway can. Which fields a type takes is for its owner.
struct CommandRequest {
  let id: MessageID
  let service: String
  let type: String
  let workspace: String
  let actor: String?
  let correlationID: String?
  /// JSON text, at most `Command.largestData` bytes.
  let data: [UInt8]
  /// What tells it from another command with the same id.
  let content: String

  /// Reads the body and headers of `POST /v1/commands`. `tokenName` is the actor where a token was used.
  init(_ request: Request, tokenName: String?, services: [String]) throws(Problem) {
    let document: JSON
    do throws(JSONError) {
      document = try JSON(parsing: request.body)
    } catch {
      throw .malformed("The body is not the JSON that is taken here: \(error).")
    }
    guard case .object(let object) = document else {
      throw .malformed("The body must be a JSON object with the members \"type\" and \"data\".")
    }
    var fields = Fields(object)
    let type = fields.required("type", Self.typeName, else: "")
    let workspace = fields.optional("workspace", Self.workspace) ?? Workspace.main
    let actor = fields.optional("actor", Fields.name)
    let id = fields.optional("id", Fields.id)
    let data = fields.raw("data")
    if data == nil { fields.fail("data", "is required") }
    if actor != nil, tokenName != nil { fields.fail("actor", "is the token's name here, and must not be given") }
    let service = String(type.prefix { $0 != "." })
    if !type.isEmpty, !services.contains(service) { fields.fail("type", Self.unknown(service, services)) }
    try fields.finish()

    self.id = try Self.id(id, request.headers["idempotency-key"])
    self.service = service
    self.type = type
    self.workspace = workspace
    self.actor = tokenName ?? actor
    correlationID = try Self.correlation(request.headers["x-correlation-id"])
    self.data = data?.bytes ?? []
    guard self.data.count <= Command.largestData else {
      throw .tooLarge("The command's data has \(self.data.count) bytes; at most \(Command.largestData) are taken.")
    }
    content = Command.contentHash(type: type, workspace: workspace, canonicalData: data?.canonicalBytes ?? [])
  }

  /// The message that goes to the command topic.
  func message(source: String) -> Message {
    Message(
      id: id, source: source, type: type, time: .now(), workspace: workspace, actor: actor,
      correlationID: correlationID ?? id.description, data: data)
  }

  private static func typeName(_ json: JSON) -> Result<String, Fields.Wrong> {
    guard let text = json.string, !text.isEmpty, text.utf8.count <= 200,
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return .failure(.init("must be a command's name, such as tasks.item.add.v1")) }
    return .success(text)
  }

  private static func workspace(_ json: JSON) -> Result<String, Fields.Wrong> {
    guard let text = json.string, Workspace.isValid(text) else {
      return .failure(
        .init("must be 1 to 63 of a-z, 0-9, dot, underscore and hyphen, and begin with a letter or digit"))
    }
    return .success(text)
  }

  private static func unknown(_ service: String, _ services: [String]) -> String {
    let nearest = Text.nearest(to: service, among: services).map { "; did you mean \($0)?" }
    return "names no service: there are \(services.joined(separator: ", "))\(nearest ?? "")"
  }

  private static func id(_ body: MessageID?, _ header: String?) throws(Problem) -> MessageID {
    guard let header else { return body ?? .next() }
    let text = header.hasPrefix("\"") && header.hasSuffix("\"") ? String(header.dropFirst().dropLast()) : header
    guard let key = MessageID(text) else { throw .malformed("The header Idempotency-Key must be a UUID.") }
    guard body == nil || body == key else {
      throw .malformed("The header Idempotency-Key and the member \"id\" name two different commands.")
    }
    return key
  }

  private static func correlation(_ header: String?) throws(Problem) -> String? {
    guard let header, !header.isEmpty else { return nil }
    guard header.utf8.count <= 200 else { throw .malformed("The header X-Correlation-Id has more than 200 bytes.") }
    return header
  }
}

/// How long a client waits for its decision: `?wait=` or `Prefer: wait=`, in whole seconds.
enum WaitPreference {
  static let longest: Int64 = 60

  /// Nil where the client says nothing; more than a minute counts as a minute.
  static func read(_ request: Request) throws(Problem) -> Duration? {
    if let text = try request.value("wait") {
      guard let seconds = Int64(text), seconds >= 0 else {
        throw .invalid("wait", "must be a whole number of seconds")
      }
      return .seconds(min(seconds, longest))
    }
    for preference in (request.headers["prefer"] ?? "").split(whereSeparator: { $0 == "," || $0 == ";" }) {
      let parts = preference.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
      // RFC 7240: a preference that cannot be honoured is passed over.
      if parts.count == 2, parts[0].lowercased() == "wait", let seconds = Int64(parts[1]), seconds >= 0 {
        return .seconds(min(seconds, longest))
      }
    }
    return nil
  }
}
