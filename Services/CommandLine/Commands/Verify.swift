import AuditService
import Messaging

extension Commands {
  /// `daybook history verify`.
  static let verify = CommandNode(
    name: "verify", summary: "Proves that the history was not changed",
    discussion: """
      Every record's hash is computed again, and the ends of the chains are compared with what is kept outside the
      database. With --data the history of a Daybook that does not run is read, else the server is asked. The first
      record that does not hold is named, and the exit status is 4.
      """,
    examples: ["daybook history verify", "daybook history verify --data ./book"],
    options: [.value("data", "DIR", "the data directory of a Daybook that does not run")],
    run: { invocation in
      let context = try Context(invocation)
      let json: JSON
      if let data = invocation.value("data") {
        let progress = Progress.begin(context.console, "verifying the history")
        defer { progress.finish() }
        json = try AuditVerifier.verifyStopped(data: data, holder: "daybook history verify").json
      } else {
        let answer = try await Progress.during(context.console, "verifying the history") {
          try await context.api.answer(context.api.request("GET", "/v1/history/verify"), timeout: 3600)
        }
        guard answer.status == 200 else { throw Failure(answer.status, answer.json) }
        json = answer.json
      }
      let holds = json["holds"] == true
      if context.mode != .quiet, holds || context.mode != .people {
        context.show(json) {
          "The history holds: \(Values.plain(json["records"])) record\(json["records"] == 1 ? "" : "s").\n"
        }
      }
      if !holds {
        throw Failure.differs("the history does not hold: \(json["fault"]?["detail"]?.string ?? "no reason is given")")
      }
    })
}
