import CRdKafka
import Foundation

/// How Kafka is reached: the brokers, and librdkafka's properties of security.
package struct KafkaSettings: Sendable, Equatable, CustomStringConvertible {
  /// `HOST:PORT[,HOST:PORT…]`.
  package var servers: String
  /// librdkafka's properties from the file and the variables: `security.protocol`, `sasl.…`, `ssl.…`.
  package var properties: [String: String]

  package init(servers: String, properties: [String: String] = [:]) {
    self.servers = servers
    self.properties = properties
  }

  /// The brokers alone: properties hold secrets.
  package var description: String { servers }
}

/// Why settings of Kafka are refused, in one plain sentence that holds no secret: wrong usage.
package struct KafkaSettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

extension KafkaSettings {
  /// The variables that `read` takes, and what each is.
  package static let variables: [(name: String, help: String)] = [
    ("DAYBOOK_KAFKA_CONFIG", "a file of key=value lines for librdkafka: security.protocol, sasl.…, ssl.…"),
    ("DAYBOOK_KAFKA_SECURITY_PROTOCOL", "PLAINTEXT, SSL, SASL_SSL or SASL_PLAINTEXT"),
    ("DAYBOOK_KAFKA_SASL_MECHANISM", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512 (default PLAIN)"),
    ("DAYBOOK_KAFKA_USERNAME", "the user's name"),
    ("DAYBOOK_KAFKA_PASSWORD", "the user's password"),
    ("DAYBOOK_KAFKA_PASSWORD_FILE", "a file that holds the user's password"),
    ("DAYBOOK_KAFKA_CA", "a file of the certificates (PEM) that the brokers are trusted by"),
    ("DAYBOOK_KAFKA_PLAINTEXT", "1: an unencrypted connection to another host is meant"),
  ]

  /// The file first, then the variables over it.
  ///
  /// - Parameters:
  ///   - servers: `--kafka`.
  ///   - configFile: `--kafka-config`; nil for `DAYBOOK_KAFKA_CONFIG`, or none.
  ///   - allowPlaintext: `--kafka-plaintext`.
  package static func read(
    servers: String, configFile: String?, allowPlaintext: Bool, environment: [String: String]
  ) throws(KafkaSettingsError) -> KafkaSettings {
    func variable(_ name: String) -> String? { environment["DAYBOOK_KAFKA_" + name].flatMap { $0.isEmpty ? nil : $0 } }
    let hosts = try hosts(of: servers)
    var settings = KafkaSettings(servers: servers)
    if let file = configFile ?? variable("CONFIG") { settings.properties = try properties(ofFile: file) }
    for (name, property) in [
      ("SECURITY_PROTOCOL", "security.protocol"), ("SASL_MECHANISM", "sasl.mechanism"), ("USERNAME", "sasl.username"),
      ("PASSWORD", "sasl.password"), ("CA", "ssl.ca.location"),
    ] {
      guard let value = variable(name) else { continue }
      try check(property, value, in: "DAYBOOK_KAFKA_\(name)")
      settings.properties[property] = value
    }
    if let file = variable("PASSWORD_FILE") {
      guard variable("PASSWORD") == nil else {
        throw KafkaSettingsError("give DAYBOOK_KAFKA_PASSWORD or DAYBOOK_KAFKA_PASSWORD_FILE, not both")
      }
      let password = try text(ofFile: file).trimmingCharacters(in: .newlines)
      try check("sasl.password", password, in: "DAYBOOK_KAFKA_PASSWORD_FILE")
      settings.properties["sasl.password"] = password
    }
    settings.complete()
    try settings.checkTogether(hosts, allowPlaintext: allowPlaintext || ["1", "true"].contains(variable("PLAINTEXT")))
    return settings
  }

  /// What follows from what was given: a user name means SASL over TLS, a CA means TLS.
  private mutating func complete() {
    if properties["security.protocol"] == nil {
      properties["security.protocol"] =
        properties["sasl.username"] != nil ? "SASL_SSL" : properties["ssl.ca.location"] != nil ? "SSL" : "PLAINTEXT"
    }
    properties["security.protocol"] = properties["security.protocol"]?.uppercased()
    if isSASL { properties["sasl.mechanism"] = properties["sasl.mechanism"]?.uppercased() ?? "PLAIN" }
  }

  private var isSASL: Bool { properties["security.protocol"]?.hasPrefix("SASL_") ?? false }
  private var isEncrypted: Bool { properties["security.protocol"]?.hasSuffix("SSL") ?? false }

  private func checkTogether(_ hosts: [String], allowPlaintext: Bool) throws(KafkaSettingsError) {
    let name = properties["security.protocol"] ?? ""
    if isSASL {
      for (property, what, variable) in [
        ("sasl.username", "a user name", "DAYBOOK_KAFKA_USERNAME"),
        ("sasl.password", "a password", "DAYBOOK_KAFKA_PASSWORD_FILE"),
      ] where properties[property, default: ""].isEmpty {
        throw KafkaSettingsError("\(name) needs \(what): set \(variable), or \(property) in the file of --kafka-config")
      }
    } else if let property = properties.keys.sorted().first(where: { $0.hasPrefix("sasl.") }) {
      throw KafkaSettingsError("\(property) is given, but \(name) logs nobody in: set security.protocol to SASL_SSL")
    }
    if !isEncrypted, let property = properties.keys.sorted().first(where: { $0.hasPrefix("ssl.") }) {
      throw KafkaSettingsError(
        "\(property) is given, but \(name) does not encrypt: set security.protocol to "
          + (isSASL ? "SASL_SSL" : "SSL"))
    }
    if !isEncrypted, !allowPlaintext, let host = hosts.first(where: { !Self.isLoopback($0) }) {
      throw KafkaSettingsError(
        "the connection to \(host) would not be encrypted: set up TLS (DAYBOOK_KAFKA_SECURITY_PROTOCOL), or say "
          + "--kafka-plaintext where the network is trusted")
    }
  }

  // MARK: - Servers

  private static func hosts(of servers: String) throws(KafkaSettingsError) -> [String] {
    var hosts: [String] = []
    for part in servers.split(separator: ",", omittingEmptySubsequences: false) {
      guard let colon = part.lastIndex(of: ":"), colon != part.startIndex,
        let port = Int(part[part.index(after: colon)...]), (1...65535).contains(port),
        !part.contains("/"), !part.contains(where: \.isWhitespace)
      else { throw KafkaSettingsError("a Kafka broker is given as HOST:PORT, not “\(part)”") }
      let host = part[..<colon]
      guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else {
        throw KafkaSettingsError("an IPv6 address is given as [ADDRESS]:PORT, not “\(part)”")
      }
      hosts.append(String(host))
    }
    return hosts
  }

  private static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host == "[::1]" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers.first == 127 && !numbers.contains(nil)
  }
}
