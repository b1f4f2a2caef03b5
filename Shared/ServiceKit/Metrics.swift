import Synchronization

/// Counters, gauges and histograms in Prometheus' text format (version 0.0.4). Labels are routes, topics and services,
/// never raw paths or ids, so that their number is bounded.
package final class Metrics: Sendable {
  private struct Series {
    var value: Double = 0
    var buckets: [UInt64]?
    var count: UInt64 = 0
  }
  private struct Family {
    var kind: String
    var help: String
    var series: [String: Series] = [:]
  }
  private let families = Mutex<[String: Family]>([:])
  /// Upper bounds in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  package init() {}

  /// Adds to a counter; its name ends in `_total`.
  package func count(_ name: String, _ help: String, _ labels: [(String, String)] = [], by amount: Double = 1) {
    update(name, "counter", help, labels) { $0.value += amount }
  }
  /// Sets a gauge.
  package func gauge(_ name: String, _ help: String, _ labels: [(String, String)] = [], _ value: Double) {
    update(name, "gauge", help, labels) { $0.value = value }
  }
  /// Observes a duration in seconds; the name ends in `_seconds`.
  package func observe(_ name: String, _ help: String, _ labels: [(String, String)] = [], _ seconds: Double) {
    update(name, "histogram", help, labels) { series in
      // Taken out while it changes, so that the array is not copied.
      var buckets = series.buckets.take() ?? Array(repeating: 0, count: Self.bounds.count)
      var index = Self.bounds.count
      while index > 0, seconds <= Self.bounds[index - 1] {
        index -= 1
        buckets[index] += 1
      }
      series.buckets = buckets
      series.count += 1
      series.value += seconds
    }
  }

  private func update(
    _ name: String, _ kind: String, _ help: String, _ labels: [(String, String)], _ body: (inout Series) -> Void
  ) {
    var key = ""
    key.reserveCapacity(96)
    for (label, value) in labels {
      if !key.isEmpty { key += "," }
      key += label
      key += "=\""
      key += Self.escaped(value)
      key += "\""
    }
    families.withLock { families in
      body(&families[name, default: Family(kind: kind, help: help)].series[key, default: Series()])
    }
  }

  private static func escaped(_ value: String) -> String {
    // Nearly no value needs it, and this runs with every request.
    guard value.utf8.contains(where: { $0 == 0x5c || $0 == 0x22 || $0 == 0x0a }) else { return value }
    return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// The text that `/metrics` serves, sorted by name.
  package func render() -> String {
    families.withLock { families in
      var out = ""
      for (name, family) in families.sorted(by: { $0.key < $1.key }) {
        out += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind)\n"
        for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
          guard let buckets = series.buckets else {
            out += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(series.value))\n"
            continue
          }
          let separator = labels.isEmpty ? "" : ","
          for (bound, count) in zip(Self.bounds, buckets) {
            out += "\(name)_bucket{\(labels)\(separator)le=\"\(bound)\"} \(count)\n"
          }
          out += "\(name)_bucket{\(labels)\(separator)le=\"+Inf\"} \(series.count)\n"
          out += "\(name)_sum\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(series.value))\n"
          out += "\(name)_count\(labels.isEmpty ? "" : "{\(labels)}") \(series.count)\n"
        }
      }
      return out
    }
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
