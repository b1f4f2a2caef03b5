import HTTP
import Messaging

extension Commands {
  static let status = CommandNode(
    name: "status", summary: "Tells whether everything works, and how far each part is",
    examples: ["daybook status", "daybook status --json", "daybook status --ready --server http://127.0.0.1:8083"],
    section: running,
    options: [.flag("ready", "ask one process alone, of any part, whether it does its work (needs no token)")],
    run: { invocation in
      let context = try Context(invocation)
      if invocation.has("ready") { return try await ready(context) }
      let json = try await context.api.get("/v1/status")
      if context.mode != .quiet { context.show(json) { describe(json, context) } }
      if json["ready"] != true { throw Failure(status: .refused, message: "") }
    })

  /// What that one process says of its own components; also how a container is found healthy.
  private static func ready(_ context: Context) async throws {
    let (status, json) = try await context.api.answer(Request(method: "GET", path: "/readyz"), timeout: 3)
    guard status == 200 || json["components"] != nil else { throw Failure(status, json) }
    if context.mode != .quiet { context.show(json) { describe(json, context) } }
    if status != 200 { throw Failure(status: .refused, message: "") }
  }

  private static func describe(_ json: JSON, _ context: Context) -> String {
    let style = context.console.outputStyle
    let ready = json["ready"] == true
    var out = "\(context.api.server) is \(ready ? style.green("ready") : style.red("not ready"))"
    if json["readOnly"] == true { out += ": a read model that only answers reads, and has no history" }
    out += "\n"
    for component in json["components"]?.array ?? [] where component["ready"] != true {
      out += "  \(Values.plain(component["name"])): \(Values.plain(component["detail"]))\n"
    }
    for part in ["projection", "audit"] where json[part]?["ready"] == false {
      if let detail = json[part]?["detail"]?.string { out += "  \(part): \(detail)\n" }
      // In one process they stand among the components above.
      let told = (json["components"]?.array ?? []).filter { $0["ready"] != true }.map { $0["name"] }
      for component in json[part]?["components"]?.array ?? []
      where component["ready"] != true && !told.contains(component["name"]) {
        out += "  \(Values.plain(component["name"])): \(Values.plain(component["detail"]))\n"
      }
    }
    var table = Table(columns: [
      .init(title: "PART"), .init(title: "OF"), .init(title: "SEQUENCE", isNumber: true),
      .init(title: "EPOCH", isNumber: true), .init(title: "BEHIND", isNumber: true),
    ])
    for part in ["projection", "audit"] {
      for position in json[part]?["positions"]?.array ?? [] {
        let lag = position["lag"]?.integer ?? 0
        table.rows.append([
          Table.Cell(part), Table.Cell("\(Values.plain(position["service"]))/\(Values.plain(position["partition"]))"),
          Table.Cell(Values.plain(position["sequence"])), Table.Cell(Values.plain(position["epoch"])),
          Table.Cell(Values.plain(position["lag"]), lag > 0 ? .attention : .plain),
        ])
      }
    }
    if !table.rows.isEmpty { out += "\n" + table.render(width: nil, style: style) }
    return out
  }
}
