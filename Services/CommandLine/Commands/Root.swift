import Messaging

/// The whole command tree.
enum Root {
  static let globals: [Option] = [
    .value("server", "URL", setting: true, "the server (default http://127.0.0.1:8080; a token in DAYBOOK_TOKEN)"),
    KafkaOptions.servers,
    KafkaOptions.config,
    KafkaOptions.plaintext,
    .value("workspace", short: "w", "NAME", setting: true, "the workspace (default main)"),
    .value("actor", "NAME", setting: true, "who asks for it, as the history names them"),
    .value("zone", "ZONE", setting: true, "in which times are read and shown (default the host's)"),
    .value("wait", "SECONDS", setting: true, "how long to go on asking for an answer (default 10)"),
    .flag("json", "print one JSON document"),
    .flag("ndjson", "print one JSON document a line"),
    .flag("quiet", short: "q", "print ids only"),
  ]

  static let node = CommandNode(
    name: "daybook", summary: "A book library, a visitor log and a task list, driven by messages",
    children: Nouns.nodes + Commands.nodes)

  static let parser = Parser(root: node, globals: globals)
  static let help = Help(root: node, globals: globals)
}
