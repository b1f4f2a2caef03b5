import CRdKafka
import Foundation

extension KafkaSettings {
  /// What a file or variable may set. All else would change what the log promises.
  private static let allowed: Set<String> = [
    "security.protocol", "sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password",
    "ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem", "ssl.key.location",
    "ssl.key.password", "ssl.key.pem", "ssl.keystore.location", "ssl.keystore.password", "ssl.crl.location",
    "ssl.cipher.suites", "ssl.curves.list", "ssl.sigalgs.list", "ssl.endpoint.identification.algorithm",
    "broker.address.family", "client.rack", "socket.keepalive.enable",
  ]

  static func properties(ofFile path: String) throws(KafkaSettingsError) -> [String: String] {
    var properties: [String: String] = [:]
    for (number, line) in try text(ofFile: path).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw KafkaSettingsError("line \(number + 1) of \(path) is not key=value")
      }
      var name = parts[0].trimmingCharacters(in: .whitespaces)
      let value = parts[1].trimmingCharacters(in: .whitespaces)
      try check(name, value, in: "line \(number + 1) of \(path)")
      if name == "sasl.mechanisms" { name = "sasl.mechanism" }
      properties[name] = value
    }
    return properties
  }

  static func text(ofFile path: String) throws(KafkaSettingsError) -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw KafkaSettingsError("the file \(path) cannot be read")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw KafkaSettingsError("the file \(path) is not text")
    }
    return text
  }

  /// One property by itself. The value never stands in the refusal where it may be a secret.
  static func check(_ name: String, _ value: String, in place: String) throws(KafkaSettingsError) {
    guard allowed.contains(name) else {
      throw KafkaSettingsError("\(place): \(name) cannot be set; what can is security.protocol, sasl.… and ssl.…")
    }
    func oneOf(_ words: String...) throws(KafkaSettingsError) {
      guard words.contains(value.uppercased()) else {
        throw KafkaSettingsError(
          "\(place): \(name) is \(words.dropLast().joined(separator: ", ")) or \(words.last ?? ""), not “\(value)”")
      }
    }
    switch name {
    case "security.protocol": try oneOf("PLAINTEXT", "SSL", "SASL_SSL", "SASL_PLAINTEXT")
    case "sasl.mechanism", "sasl.mechanisms": try oneOf("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
    case _ where name.hasSuffix(".location"):
      guard FileManager.default.isReadableFile(atPath: value) else {
        throw KafkaSettingsError("\(place): the file \(value) cannot be read")
      }
    default: break
    }
    guard takes(name, value) else {
      throw KafkaSettingsError("\(place): librdkafka does not take this value of \(name)")
    }
  }

  private static func takes(_ name: String, _ value: String) -> Bool {
    guard !value.utf8.contains(0), let settings = unsafe rd_kafka_conf_new() else { return false }
    defer { unsafe rd_kafka_conf_destroy(settings) }
    return unsafe rd_kafka_conf_set(settings, name, value, nil, 0) == RD_KAFKA_CONF_OK
  }
}
