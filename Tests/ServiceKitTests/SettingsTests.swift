import ServiceKit
import Testing

@Suite struct SettingsTests {
  @Test func `flags come before variables, and variables before defaults`() throws {
    let environment = ["DAYBOOK_PORT": "1", "DAYBOOK_HOST": "::1", "DAYBOOK_LOG_LEVEL": "debug", "HOME": "/home/ada"]
    let settings = try Settings.parse(
      "gateway",
      ["--port", "2", "--data=/d", "--audit", "http://a:1", "--partition-count", "8"],
      environment: environment)
    #expect(settings.port == 2)
    #expect(settings.host == "::1")
    #expect(settings.logLevel == .debug)
    #expect(settings.data == "/d")
    #expect(settings.audit == "http://a:1")
    #expect(settings.projection == "http://127.0.0.1:8084")
    #expect(settings.partitionCount == 8)
    #expect(settings.kafka == nil)
  }

  @Test func `an owner may own some of the partitions`() throws {
    let settings = try Settings.parse("tasks", ["--partitions", "0-1"], environment: [:])
    #expect(settings.partitions == 0...1)
  }

  @Test(arguments: [
    ("gateway", 8080), ("library", 8081), ("visitorlog", 8082), ("tasks", 8083), ("projection", 8084), ("audit", 8085),
  ])
  func `each process has a port of its own`(_ process: String, _ port: Int) throws {
    #expect(try Settings.parse(process, [], environment: [:]).port == port)
  }

  @Test(arguments: [
    ([:], "daybook-data"), (["HOME": "/home/ada"], "/home/ada/.local/share/daybook"),
    (["HOME": "/home/ada", "XDG_DATA_HOME": "/data"], "/data/daybook"),
    (["HOME": "/home/ada", "XDG_DATA_HOME": "relative"], "/home/ada/.local/share/daybook"),
    (["HOME": "/home/ada", "DAYBOOK_DATA": "/d"], "/d"),
  ])
  func `the data directory has a default`(_ environment: [String: String], _ data: String) throws {
    #expect(try Settings.parse("tasks", [], environment: environment).data == data)
  }

  @Test(arguments: [
    (["--prot", "1"], "tasks has no flag --prot; did you mean --port?"),
    (["--partition", "1"], "tasks has no flag --partition; did you mean --partitions?"),
    (["--zzzzzzzz"], "tasks has no flag --zzzzzzzz"),
    (["--projection", "http://a"], "tasks has no flag --projection"),
    (["--kafka-plaintext=1"], "--kafka-plaintext is a flag and takes no value"),
    (["serve"], "tasks takes no argument serve"),
    (["--port"], "--port needs a value: N"),
    (["--port", "x"], "--port must be a number from 0 to 65535, not x"),
    (["--port=70000"], "--port must be a number from 0 to 65535, not 70000"),
    (["--partitions", "3-1"], "--partitions must be a number or a range such as 0-1, not 3-1"),
    (["--partitions", "4"], "partition 4 does not exist: there are 4, from 0 to 3"),
    (["--partition-count", "0"], "--partition-count must be a number from 1 to 1024, not 0"),
    (["--log-level", "loud"], "--log-level must be debug, info, notice, warning or error, not loud"),
  ])
  func `wrong usage is told in one sentence`(_ arguments: [String], _ sentence: String) {
    let error = #expect(throws: UsageError.self) { try Settings.parse("tasks", arguments, environment: [:]) }
    #expect(error?.description == sentence)
  }

  @Test func `a wrong variable is named`() {
    let error = #expect(throws: UsageError.self) {
      try Settings.parse("tasks", [], environment: ["DAYBOOK_PORT": "x"])
    }
    #expect(error?.description == "DAYBOOK_PORT must be a number from 0 to 65535, not x")
  }

  @Test func `a part cannot run beside the embedded log, and wrong usage is status 2`() async {
    #expect(await Serve.main("tasks", arguments: [], environment: [:]) { Serve.Part([], $0, $1) } == 1)
    #expect(await Serve.main("tasks", arguments: ["--prot"], environment: [:]) { Serve.Part([], $0, $1) } == 2)
  }

  @Test func `the settings of Kafka are flags and variables`() throws {
    let settings = try Settings.parse(
      "audit", ["--kafka", "a:1,b:2", "--kafka-plaintext", "--replication-factor", "3"],
      environment: ["DAYBOOK_KAFKA_CONFIG": "/k", "DAYBOOK_MIN_INSYNC_REPLICAS": "2", "DAYBOOK_PARTITIONS": "0"])
    #expect(settings.kafka == "a:1,b:2")
    #expect(settings.kafkaConfig == "/k")
    #expect(settings.kafkaPlaintext)
    #expect(settings.replicationFactor == 3)
    #expect(settings.minInsyncReplicas == 2)
    #expect(settings.partitions == nil)
    #expect(
      try !Settings.parse(
        "audit", [], environment: ["DAYBOOK_KAFKA_PLAINTEXT": "false"]
      ).kafkaPlaintext)
  }
}
