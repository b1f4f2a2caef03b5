import Messaging

/// One measured figure beside its floor from the same run.
struct Figure: Sendable {
  let name: String
  let value: Double
  let unit: String
  /// The floor in the same unit, and what it is; nil where the figure stands alone.
  var floor: (value: Double, what: String)?
  /// What the project holds itself to, as text and as a test of the figure.
  var goal: (text: String, holds: Bool)?

  /// The value as a part or a multiple of its floor.
  var ratio: Double? { floor.map { value / $0.value } }

  var json: JSON {
    var object: JSONObject = ["name": .string(name), "value": .number(value), "unit": .string(unit)]
    if let floor, let ratio {
      object["floor"] = .number(floor.value)
      object["floorIs"] = .string(floor.what)
      object["ratio"] = .number(ratio)
    }
    if let goal {
      object["goal"] = .string(goal.text)
      object["holds"] = JSON(goal.holds)
    }
    return .object(object)
  }

  static func percentile(_ sorted: [Double], _ part: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  static func text(_ value: Double) -> String {
    switch abs(value) {
    case 100...: String(Int64(value.rounded()))
    case 10..<100: String((value * 10).rounded() / 10)
    default: String((value * 1000).rounded() / 1000)
    }
  }
}
