import Foundation
import KafkaLog
import Testing
import TestSupport

@Suite struct KafkaSettingsTests {
  private func read(
    _ environment: [String: String] = [:], servers: String = "127.0.0.1:9092", file: String? = nil,
    allowPlaintext: Bool = false
  ) throws(KafkaSettingsError) -> KafkaSettings {
    try KafkaSettings.read(
      servers: servers, configFile: file, allowPlaintext: allowPlaintext,
      environment: Dictionary(uniqueKeysWithValues: environment.map { ("DAYBOOK_KAFKA_" + $0, $1) }))
  }

  private func withFile<T>(_ text: String, _ body: (String) throws -> T) throws -> T {
    let path = NSTemporaryDirectory() + "kafka-settings-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  @Test(arguments: ["127.0.0.1:9092", "localhost:1,[::1]:65535", "127.8.9.10:1"])
  func `this machine needs no flag for plain text`(_ servers: String) throws {
    let settings = try read(servers: servers)
    #expect(settings.servers == servers)
    #expect(settings.properties == ["security.protocol": "PLAINTEXT"])
  }

  @Test(arguments: ["kafka:9092", "10.0.0.1:9092", "127.0.0.1:1,kafka:9092", "[::2]:1", "127.example:1"])
  func `another host needs TLS or the flag`(_ servers: String) throws {
    let error = #expect(throws: KafkaSettingsError.self) { try read(servers: servers) }
    #expect(error?.description.contains("would not be encrypted") == true)
    _ = try read(servers: servers, allowPlaintext: true)
    _ = try read(["PLAINTEXT": "1"], servers: servers)
    _ = try read(["SECURITY_PROTOCOL": "ssl"], servers: servers)
    let user = ["SECURITY_PROTOCOL": "SASL_PLAINTEXT", "USERNAME": "u", "PASSWORD": "p"]
    #expect(throws: KafkaSettingsError.self) { try read(user, servers: servers) }
  }

  @Test func `a user name means SASL over TLS, by PLAIN`() throws {
    try withFile("s3cret\n") { file in
      let settings = try read(["USERNAME": "daybook", "PASSWORD_FILE": file], servers: "kafka:9093")
      #expect(
        settings.properties == [
          "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.username": "daybook",
          "sasl.password": "s3cret",
        ])
      #expect("\(settings)" == "kafka:9093")
    }
  }

  @Test func `variables go over the file`() throws {
    let text = """
      # for librdkafka
      security.protocol = sasl_ssl
      sasl.mechanisms=SCRAM-SHA-512

      sasl.username=from file
      sasl.password=a=b
      """
    try withFile(text) { file in
      let settings = try read(["USERNAME": "from variable", "CONFIG": "/nowhere"], file: file)
      #expect(
        settings.properties == [
          "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "from variable",
          "sasl.password": "a=b",
        ])
      #expect(try read(["CONFIG": file]).properties["sasl.username"] == "from file")
    }
  }

  @Test(arguments: [
    ("acks=1\n", "line 1 of FILE: acks cannot be set; what can is security.protocol, sasl.… and ssl.…"),
    ("# a\nsasl.password\n", "line 2 of FILE is not key=value"),
    (
      "security.protocol=TLS",
      "line 1 of FILE: security.protocol is PLAINTEXT, SSL, SASL_SSL or SASL_PLAINTEXT, not “TLS”"
    ),
    ("ssl.ca.location=/nowhere", "line 1 of FILE: the file /nowhere cannot be read"),
    (
      "client.rack=a\nbroker.address.family=v5",
      "line 2 of FILE: librdkafka does not take this value of broker.address.family"
    ),
    (
      "sasl.username=u\nsecurity.protocol=SASL_SSL",
      "SASL_SSL needs a password: set DAYBOOK_KAFKA_PASSWORD_FILE, or sasl.password in the file of --kafka-config"
    ),
    (
      "sasl.password=secret\nsecurity.protocol=SSL",
      "sasl.password is given, but SSL logs nobody in: set security.protocol to SASL_SSL"
    ),
  ])
  func `a file is refused in one sentence without secrets`(_ text: String, _ sentence: String) throws {
    try withFile(text) { file in
      let error = #expect(throws: KafkaSettingsError.self) { try read(file: file) }
      #expect(
        error?.description == sentence.replacing("FILE is", with: "\(file) is").replacing("FILE:", with: "\(file):"))
    }
  }

  @Test(arguments: [
    "", "kafka", "kafka:", ":9092", "kafka:0", "kafka:70000", "a:1,,b:2", "http://kafka:1", "::1:9", "a b:1",
  ])
  func `a server that is not HOST and PORT is refused`(_ servers: String) {
    #expect(throws: KafkaSettingsError.self) { try read(servers: servers, allowPlaintext: true) }
  }

  @Test func `a file that is not there is named`() {
    let error = #expect(throws: KafkaSettingsError.self) { try read(["CONFIG": "/nowhere/kafka.conf"]) }
    #expect(error?.description == "the file /nowhere/kafka.conf cannot be read")
  }
}
