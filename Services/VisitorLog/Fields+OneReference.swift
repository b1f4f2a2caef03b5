import Messaging

extension Fields {
  /// The one of two references that the command gives, and the field it stands in; an error where it gives none or
  /// both. `reader` reads the first.
  mutating func oneReference(
    _ first: String, _ reader: Reader<Reference>, or second: String
  ) -> (field: String, reference: Reference) {
    let isGiven = (raw(first).map { !$0.isNull } ?? false, raw(second).map { !$0.isNull } ?? false)
    switch isGiven {
    case (false, false): fail(first, "is required, or \(second)")
    case (true, true):
      fail(first, "cannot stand beside \(second)")
      fail(second, "cannot stand beside \(first)")
    case (true, false): return (first, required(first, reader, else: .name("")))
    case (false, true): return (second, required(second, Fields.reference, else: .name("")))
    }
    return (first, .name(""))
  }
}
